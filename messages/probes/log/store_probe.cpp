// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/log/store_probe.hpp"

#include "messages/probes/kept_elsewhere.hpp"

namespace argosy::probes {

void store_probe::collect(metrics::family_list& out) const {
  const auto usage = database->usage();
  if (!usage) return;
  add_gauge(out, "argosy_store_bytes", "What the store takes.", usage->used_bytes);
  add_gauge(out, "argosy_store_file_bytes",
            "What the file of the store has taken, with room that was freed and is used again.",
            usage->file_bytes);
  add_gauge(out, "argosy_store_held_bytes",
            "What was freed of the store and cannot be used again yet, since a reader sees it.",
            usage->held_bytes);
  add_gauge(out, "argosy_store_bytes_max", "What the store may take.", usage->limit_bytes);
  if (usage->limit_bytes == 0) return;
  out.push_back({"argosy_store_map_used_ratio",
                 "The part of what the store may take that is in use or held by readers.",
                 metrics::family_kind::gauge,
                 {{{},
                   static_cast<double>(usage->used_bytes + usage->held_bytes) /
                       static_cast<double>(usage->limit_bytes)}}});
}

}  // namespace argosy::probes
