// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/concern_log.hpp"

#include <set>

namespace argosy {

std::vector<concern_log::line> concern_log::look(const health::concerns& all, boot_time now) {
  std::vector<line> out;
  std::set<std::pair<std::string, std::string>> present;
  for (const auto& one : all) {
    const std::pair key{one.kind, one.about};
    present.insert(key);
    auto& known = told_[key];
    const bool is_new = known.again == boot_time{};
    if (is_new || known.what.bad != one.bad || now >= known.again) {
      out.push_back({one, false});
      known.again = now + (one.bad ? bad_pause : pause);
    }
    known.what = one;
  }
  for (auto at = told_.begin(); at != told_.end();) {
    if (present.contains(at->first)) {
      ++at;
      continue;
    }
    out.push_back({at->second.what, true});
    at = told_.erase(at);
  }
  return out;
}

}  // namespace argosy
