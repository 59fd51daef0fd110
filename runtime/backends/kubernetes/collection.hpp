// SPDX-License-Identifier: Apache-2.0
// One followed collection: it takes what the API's thread tells, and hands it on to the backend's
// thread. It also knows whether the first list has come, for whoever waits for it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/kube/api.hpp"

namespace argosy::backends {

class collection final : public kube::follower {
 public:
  using poster = std::function<void(std::function<void()>)>;
  struct owner {
    std::function<void(const std::vector<nlohmann::json>&)> listed;
    std::function<void(kube::change, const nlohmann::json&)> changed;
    std::function<void(const error&)> interrupted;
    std::function<void()> resumed{};
  };

  /// `post` runs a function on the backend's thread; so the owner's functions are run.
  collection(poster post, owner to) : post_(std::move(post)), to_(std::move(to)) {}

  void listed(std::vector<nlohmann::json> objects) override {
    // A function may be copied on its way, but not what it takes along.
    const auto all = std::make_shared<const std::vector<nlohmann::json>>(std::move(objects));
    post_([this, all] { to_.listed(*all); });
    const std::lock_guard guard{mutex_};
    is_listed_ = true;
    wake_.notify_all();
  }
  void changed(kube::change what, nlohmann::json object) override {
    const auto now = std::make_shared<const nlohmann::json>(std::move(object));
    post_([this, what, now] { to_.changed(what, *now); });
  }
  void interrupted(const error& why) override {
    post_([this, why] { to_.interrupted(why); });
    const std::lock_guard guard{mutex_};
    trouble_ = why;
    wake_.notify_all();
  }
  void resumed() override {
    post_([this] { to_.resumed(); });
    const std::lock_guard guard{mutex_};
    trouble_.reset();
  }

  /// Waits for the first list. Fails with the last trouble, and at once when it is that a right is
  /// missing.
  [[nodiscard]] result<void> wait(std::chrono::steady_clock::time_point until) {
    std::unique_lock guard{mutex_};
    const auto settled = [this] {
      return is_listed_ || (trouble_ && trouble_->code == ec::denied);
    };
    wake_.wait_until(guard, until, settled);
    if (is_listed_) return {};
    if (trouble_) return fail(*trouble_);
    return fail(ec::timeout, "it did not answer in time");
  }

 private:
  const poster post_;
  const owner to_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_listed_ = false;  ///< Guarded by mutex_, as is trouble_.
  std::optional<error> trouble_;
};

}  // namespace argosy::backends
