// SPDX-License-Identifier: Apache-2.0
#include "runtime/store/reader_watch.hpp"

#include <algorithm>

namespace argosy::store {

std::vector<old_reader> reader_watch::look(const std::vector<reader>& all, boot_time now,
                                           boot_time age_min) {
  std::vector<old_reader> out;
  std::map<name, sight> present;
  for (const auto& one : all) {
    const name who{one.process, one.thread};
    if (const auto at = present.find(who); at != present.end() && at->second.commit <= one.commit)
      continue;
    const auto before = seen_.find(who);
    const bool same = before != seen_.end() && before->second.commit == one.commit;
    const auto since = same ? before->second.since : now;
    present[who] = {one.commit, since};
    std::erase_if(out, [&](const auto& old) {
      return old.who.process == one.process && old.who.thread == one.thread;
    });
    if (now - since >= age_min) out.push_back({one, now - since});
  }
  seen_ = std::move(present);
  std::ranges::sort(out, std::greater{}, &old_reader::age);
  return out;
}

}  // namespace argosy::store
