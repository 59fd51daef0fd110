// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/candidate_core.hpp"

#include <utility>

namespace argosy::ledger {

bool candidate_core::may_claim(lead_answer answer, boot_time now, bool among_planes) {
  if (std::exchange(last_, answer) != answer) since_.reset();
  if (!since_) since_ = now;
  if (!began_) began_ = now;
  if (answer != lead_answer::somebody && !met_ && now - *began_ < times_.yield) return false;
  switch (answer) {
    case lead_answer::nobody:
      return !met_ || has_left_ || now - *since_ >= times_.absence;
    case lead_answer::somebody:
      met_ = true;
      has_left_ = false;
      return false;
    case lead_answer::over:
      has_left_ = true;
      return true;
    case lead_answer::silence:
      met_ = true;
      return now - *since_ >= (among_planes ? times_.absence : times_.takeover);
  }
  return false;
}

}  // namespace argosy::ledger
