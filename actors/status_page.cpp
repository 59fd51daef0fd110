// SPDX-License-Identifier: Apache-2.0
#include "actors/status_page.hpp"

#include <caf/actor_cast.hpp>
#include <caf/response_handle.hpp>
#include <caf/scoped_actor.hpp>
#include <functional>
#include <map>
#include <utility>

#include "actors/interfaces/status.hpp"
#include "runtime/trace/caf/live_actors.hpp"
#include "runtime/trace/render_text.hpp"

namespace argosy::actors {

namespace {

/// There may be an actor for each of 10,000 nodes.
constexpr std::size_t asked_max = 10;

}  // namespace

std::vector<metrics::part_status> ask_all_parts(caf::actor_system& system,
                                                std::chrono::milliseconds limit) {
  caf::scoped_actor self{system};
  std::map<std::string, metrics::part_status> parts;
  std::vector<std::function<void()>> answers;
  // All are asked before the first answer is awaited, so that all have the same time.
  for (const auto& actor : trace::live_actors(system)) {
    const std::string name{trace::short_actor_name(actor.type)};
    auto& part = parts[name];
    part.part = name;
    if (part.actors++ >= asked_max) continue;
    const auto handle = caf::actor_cast<status_actor>(actor.handle);
    answers.emplace_back([&part, asked = self->request(handle, limit, atom::status_v,
                                                       atom::figures_v)]() mutable {
      asked.receive(
          [&part](metrics::figure_list& figures) { part.answers.push_back(std::move(figures)); },
          [&part](const caf::error&) { ++part.silent; });
    });
  }
  for (const auto& answer : answers) answer();
  std::vector<metrics::part_status> out;
  for (auto& [name, part] : parts) out.push_back(std::move(part));
  return out;
}

}  // namespace argosy::actors
