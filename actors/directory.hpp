// SPDX-License-Identifier: Apache-2.0
// A directory holds the handles of QUEUEs and CLUSTERs by name, as ROOT gave them. ROOT is asked
// once for each, and again when the QUEUE or CLUSTER has ended. A directory is used on the thread
// of the actor that owns it.
#pragma once

#include <algorithm>
#include <caf/abstract_actor.hpp>
#include <chrono>
#include <cstddef>
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
  struct known {
    std::map<std::string, Handle, std::less<>> handles;
    /// With so many handles those that have ended are dropped, also if nobody asks for them again.
    std::size_t sweep_at = 64;

    void keep(const std::string& name, const Handle& handle) {
      handles.insert_or_assign(name, handle);
      if (handles.size() < sweep_at) return;
      std::erase_if(handles, [](const auto& item) { return has_ended(item.second); });
      sweep_at = std::max<std::size_t>(64, 2 * handles.size());
    }
  };

  template <class Handle>
  [[nodiscard]] static bool has_ended(const Handle& handle) {
    return handle->getf(caf::abstract_actor::is_cleaned_up_flag);
  }

  template <class Self, class Handle, class Then, class Fail, class... Question>
  void look_up(Self self, known<Handle>& in, const std::string& name, Then then, Fail fail,
               Question&&... question) {
    const auto found = in.handles.find(name);
    if (found != in.handles.end() && !has_ended(found->second)) {
      then(Handle{found->second});
      return;
    }
    self->request(root_, timeout_, std::forward<Question>(question)...)
        .then(
            [&in, name, then = std::move(then)](const Handle& handle) mutable {
              in.keep(name, handle);
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
