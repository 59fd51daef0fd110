// SPDX-License-Identifier: Apache-2.0
// A directory holds the handles of QUEUEs and CLUSTERs by name, as ROOT gave them. ROOT keeps each
// handle while the process lives, so that it is asked once for each. A directory is used on the
// thread of the actor that owns it.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "actors/caf_error.hpp"
#include "actors/interfaces/root.hpp"
#include "runtime/base/error.hpp"

namespace argosy::actors {

class directory {
 public:
  directory(root_actor root, std::chrono::milliseconds timeout)
      : root_(std::move(root)), timeout_(timeout) {}

  /// Hands the QUEUE to `then`, or an error to `fail`: ec::not_found when there is none.
  template <class Self, class Then, class Fail>
  void find_queue(Self self, const std::string& name, Then then, Fail fail) {
    look_up(self, queues_, name, std::move(then), std::move(fail), atom::find_v,
            model::queue_name{name});
  }
  /// Hands the QUEUE to `then`; ROOT spawns it when there is none.
  template <class Self, class Then, class Fail>
  void ensure_queue(Self self, const std::string& name, Then then, Fail fail) {
    look_up(self, queues_, name, std::move(then), std::move(fail), atom::ensure_v,
            model::queue_name{name});
  }
  /// These do the same with CLUSTERs.
  template <class Self, class Then, class Fail>
  void find_cluster(Self self, const std::string& name, Then then, Fail fail) {
    look_up(self, clusters_, name, std::move(then), std::move(fail), atom::find_v,
            model::cluster_name{name});
  }
  template <class Self, class Then, class Fail>
  void ensure_cluster(Self self, const std::string& name, Then then, Fail fail) {
    look_up(self, clusters_, name, std::move(then), std::move(fail), atom::ensure_v,
            model::cluster_name{name});
  }

 private:
  template <class Handle>
  using known = std::map<std::string, Handle, std::less<>>;

  template <class Self, class Handle, class Then, class Fail, class... Question>
  void look_up(Self self, known<Handle>& handles, const std::string& name, Then then, Fail fail,
               Question&&... question) {
    if (const auto found = handles.find(name); found != handles.end()) {
      then(Handle{found->second});
      return;
    }
    self->request(root_, timeout_, std::forward<Question>(question)...)
        .then(
            [&handles, name, then = std::move(then)](const Handle& handle) mutable {
              handles.insert_or_assign(name, handle);
              then(handle);
            },
            [fail = std::move(fail)](const caf::error& err) mutable { fail(from_caf(err)); });
  }

  root_actor root_;
  std::chrono::milliseconds timeout_;
  known<queue_actor> queues_;
  known<cluster_actor> clusters_;
};

}  // namespace argosy::actors
