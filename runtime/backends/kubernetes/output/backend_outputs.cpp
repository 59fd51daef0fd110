// SPDX-License-Identifier: Apache-2.0
// The part of pod_backend that gives the output of runs and has it kept.
#include <utility>
#include <vector>

#include "runtime/backends/kubernetes/pod_backend.hpp"

namespace argosy::backends {

bool pod_backend::turn_outputs(const pod_step& step) {
  for (const auto& run : step.running) saver_.began(run, runs_.places(run, true), boot());
  for (const auto& each : step.outputs) outputs_.keep(saver_.with_head(each));
  for (const auto& [run, read] : step.stopping) {
    const auto first = runs_.place(run);
    auto others = runs_.places(run, true);
    std::erase_if(others, [&, name = read](const auto& each) { return each.container == name; });
    saver_.add(run, others, first ? first->container : std::string{}, boot());
  }
  for (const auto& run : step.ended) {
    const auto first = runs_.place(run);
    if (outputs_.has(run))
      runs_.saved(run, boot());
    else
      saver_.add(run, runs_.places(run, false), first ? first->container : std::string{}, boot());
  }
  for (const auto& run : step.in_excess) saver_.hurry(run, boot());
  auto saves = saver_.take(boot());
  for (const auto& each : saves.outputs) outputs_.keep(each);
  for (const auto& each : saves.heads) outputs_.keep_head(each);
  for (const auto& [run, container] : saves.heads_of_no_use) outputs_.drop_head(run, container);
  for (const auto& run : saves.done) runs_.saved(run, boot());
  for (auto& each : saves.requests)
    api_->ask(std::move(each.request),
              [this, mail = mail_, number = each.number](result<kube::answer> answer) {
                mail->post([this, number, answer = std::move(answer)] {
                  saver_.answered(number, answer, boot());
                });
              });
  streams_.expire();
  return !saves.requests.empty() || !saves.done.empty();
}

void pod_backend::read_now(const model::log_request& request, const log_taker& take) const {
  if (request.position == kept_position) return take(outputs_.read(request));
  auto place = runs_.place(request.run, request.container);
  std::string why;
  if (place && !place->silence.empty()) {
    why = place->silence + ", so that the output cannot be read";
  } else if (!place && !adopted_) {
    const auto gap = find_gap();
    why = "the agent of cluster '" + config_.cluster + "' has not taken its pods over yet, since " +
          (gap ? sentence(gap->why) : "it has not heard from the control plane which runs it has");
  } else if (!place && first_.awaits(request.run)) {
    why = first_.why_unknown();
  }
  if (!why.empty()) {
    if (request.position.empty())
      if (auto kept = outputs_.read(request)) return take(std::move(kept));
    return take(fail(ec::unavailable, std::move(why)));
  }
  if (place) place->first_line_ns = saver_.first_line(request.run, place->container);
  // A request without a position goes on by its offset.
  if (request.offset == 0 || !request.position.empty()) return streams_.read(request, place, take);
  if (!place) return take(outputs_.read(request));
  auto ask = output_request(*place, request);
  if (!ask) return take(fail(std::move(ask.error())));
  api_->ask(std::move(*ask),
            [this, mail = mail_, place = *place, request, take](result<kube::answer> answer) {
              mail->post([this, place, request, take, answer = std::move(answer)] {
                auto chunk = output_of(place, request, answer);
                if (!chunk && chunk.error().code == ec::not_found)
                  if (auto kept = outputs_.read(request)) chunk = std::move(kept);
                take(std::move(chunk));
              });
            });
}

void pod_backend::read_kept(const model::log_request& request, const log_taker& take) const {
  mail_->post([this, request, take] { take(outputs_.read(request)); });
}

}  // namespace argosy::backends
