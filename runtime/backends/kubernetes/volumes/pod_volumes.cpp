// SPDX-License-Identifier: Apache-2.0
// The part of pod_backend that looks where the volumes of a pod are before it makes it.
#include "runtime/backends/kubernetes/pod_backend.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::backends {

namespace {

const logging::logger logger{"kubernetes"};

}  // namespace

bool pod_backend::turn_volumes() {
  auto step = volumes_.take();
  for (const auto& each : step.denied)
    logger.warning(
        "the agent has no right to get these, so that jobs may be tried on nodes that do not reach "
        "their volumes",
        logging::kv("what", each));
  for (const auto& each : step.found) {
    if (!runs_.is_open(each.run)) continue;
    if (const auto why = judge_reach(each.claims, each.node, book_))
      runs_.refuse(each.run, *why, boot());
    else
      each.go_on();
  }
  for (const auto& each : step.questions) {
    kube::request what;
    what.path = each.path;
    what.server = server_;
    api_->ask(std::move(what), [this, mail = mail_, each](result<kube::answer> answer) {
      mail->post([this, each, answer = std::move(answer)] {
        note_answer(answer);
        volumes_.answered(each, answer, boot());
      });
    });
  }
  return !step.found.empty() || !step.questions.empty();
}

}  // namespace argosy::backends
