// SPDX-License-Identifier: Apache-2.0
// This file declares how one question is put to all QUEUEs or all CLUSTERs. A queue that was
// deleted is left out, and so is a QUEUE or CLUSTER that has just ended, since they do so only when
// they have nothing to tell. Anybody else who does not answer makes the whole call fail, since a
// list that silently lacks something is wrong.
#pragma once

#include <caf/sec.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/api/gateway_services.hpp"

namespace argosy::actors {

/// A fan-out asks several actors one question each; this counts the answers that are missing.
struct open_questions {
  std::size_t asked = 0;
  std::size_t missing = 0;
  std::size_t failed = 0;
  error first{ec::none, {}};  ///< The first failure, if any actor failed.

  void note(error why) {
    if (failed++ == 0) first = std::move(why);
  }
  /// One error that stands for all actors that failed; nothing when none did.
  [[nodiscard]] std::optional<error> failure(const char* whom) const {
    if (failed == 0) return std::nullopt;
    return error{first.code, std::to_string(failed) + " of " + std::to_string(asked) + " " + whom +
                                 " did not answer: " + first.detail};
  }
};

/// Calls `each` with every answer, and then once `done` with what failed.
template <class Answer, class Handle, class Each, class Done, class... Question>
void ask_all(gateway_services& gateway, const std::vector<Handle>& handles, const char* whom,
             Each each, Done done, const Question&... question) {
  if (handles.empty()) {
    done(std::optional<error>{});
    return;
  }
  auto open = std::make_shared<open_questions>();
  open->asked = open->missing = handles.size();
  const auto arrived = [open, whom, done] {
    if (--open->missing == 0) done(open->failure(whom));
  };
  for (const auto& handle : handles)
    gateway.self->request(handle, gateway.config.request_timeout, question...)
        .then(
            [each, arrived](const Answer& answer) {
              each(answer);
              arrived();
            },
            [open, arrived](const caf::error& err) {
              const bool ended = err == caf::sec::request_receiver_down;
              if (auto why = from_caf(err); !ended && why.code != ec::not_found)
                open->note(std::move(why));
              arrived();
            });
}

template <class Done>
auto done_or_failed(const call& caller, Done done) {
  return [caller, done](const std::optional<error>& failed) {
    if (failed)
      caller.fail(*failed);
    else
      done();
  };
}

/// Calls `then` with the QUEUEs that have these names, and with the names that no queue has. If
/// another error kept one from being found, the call fails.
template <class Then>
void find_queues(gateway_services& gateway, const call& caller, const std::set<std::string>& names,
                 Then then) {
  auto open = std::make_shared<open_questions>();
  auto found = std::make_shared<std::vector<queue_actor>>();
  auto unknown = std::make_shared<std::vector<std::string>>();
  open->asked = open->missing = names.size();
  const auto arrived =
      [open, finish = done_or_failed(caller, [then, found, unknown] { then(*found, *unknown); })] {
        if (--open->missing == 0) finish(open->failure("queues"));
      };
  for (const auto& name : names)
    gateway.actors.find_queue(
        gateway.self, name,
        [found, arrived](const queue_actor& queue) {
          found->push_back(queue);
          arrived();
        },
        [open, arrived, unknown, name](const error& why) {
          if (why.code == ec::not_found)
            unknown->push_back(name);
          else
            open->note(why);
          arrived();
        });
}

/// Asks all CLUSTERs. `done` is called when all have answered; otherwise the call fails.
template <class Answer, class Each, class Done, class... Question>
void each_cluster(gateway_services& gateway, const call& caller, Each each, Done done,
                  Question... question) {
  gateway.ask(
      caller, gateway.config.root,
      [&gateway, caller, each, done, question...](const cluster_map& clusters) {
        std::vector<cluster_actor> handles;
        for (const auto& [name, handle] : clusters) handles.push_back(handle);
        ask_all<Answer>(gateway, handles, "clusters", each, done_or_failed(caller, done),
                        question...);
      },
      atom::list_v, atom::cluster_v);
}

/// Asks all QUEUEs, in the same way as each_cluster().
template <class Answer, class Each, class Done, class... Question>
void each_queue(gateway_services& gateway, const call& caller, Each each, Done done,
                Question... question) {
  gateway.ask(
      caller, gateway.config.root,
      [&gateway, caller, each, done, question...](const std::vector<queue_actor>& handles) {
        ask_all<Answer>(gateway, handles, "queues", each, done_or_failed(caller, done),
                        question...);
      },
      atom::list_v);
}

}  // namespace argosy::actors
