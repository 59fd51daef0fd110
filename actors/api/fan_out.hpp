// SPDX-License-Identifier: Apache-2.0
// One question to all QUEUEs or all CLUSTERs. Those that do not answer (a queue that was deleted,
// an actor that is stopping) are left out.
#pragma once

#include <memory>
#include <vector>

#include "actors/api/services.hpp"

namespace argosy::actors {

/// Calls `each` with every answer, then `done` once.
template <class Answer, class Handle, class Question, class Each, class Done>
void ask_all(services& all, const std::vector<Handle>& handles, Question question, Each each,
             Done done) {
  if (handles.empty()) {
    done();
    return;
  }
  auto missing = std::make_shared<std::size_t>(handles.size());
  const auto arrived = [missing, done] {
    if (--*missing == 0) done();
  };
  for (const auto& handle : handles)
    all.self->request(handle, all.config.request_timeout, question)
        .then(
            [each, arrived](const Answer& answer) {
              each(answer);
              arrived();
            },
            [arrived](const caf::error&) { arrived(); });
}

template <class Answer, class Question, class Each, class Done>
void each_cluster(services& all, const call& from, Question question, Each each, Done done) {
  all.ask(
      from, all.config.root,
      [&all, question, each, done](const std::vector<cluster_actor>& handles) {
        ask_all<Answer>(all, handles, question, each, done);
      },
      atom::list_v, atom::nodes_v);
}

template <class Answer, class Question, class Each, class Done>
void each_queue(services& all, const call& from, Question question, Each each, Done done) {
  all.ask(
      from, all.config.root,
      [&all, question, each, done](const std::vector<queue_actor>& handles) {
        ask_all<Answer>(all, handles, question, each, done);
      },
      atom::list_v);
}

}  // namespace argosy::actors
