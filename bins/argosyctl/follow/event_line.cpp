// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/follow/event_line.hpp"

#include <fmt/format.h>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

void print_event(session& s, const api::EventStreamMessage& event, const event_text& text) {
  if (s.as == format::jsonl) {
    s.out.print_line(json_of(event));
  } else {
    const auto name = text.detail.empty() ? text.name : padded(text.name, 14);
    s.out.print_line(fmt::format("{}  {}  {}{}{}", utc_clock(text.created_ns), escaped(text.job_id),
                                 s.out.paint(name, text.as), text.detail.empty() ? "" : "  ",
                                 escaped(text.detail)));
  }
  s.out.flush();
}

}  // namespace argosy::ctl
