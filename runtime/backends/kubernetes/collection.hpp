// SPDX-License-Identifier: Apache-2.0
// One followed collection: it takes what the API's thread tells, and hands it on to the backend's
// thread.
#pragma once

#include <functional>
#include <memory>
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
  }
  void changed(kube::change what, nlohmann::json object) override {
    const auto now = std::make_shared<const nlohmann::json>(std::move(object));
    post_([this, what, now] { to_.changed(what, *now); });
  }
  void interrupted(const error& why) override {
    post_([this, why] { to_.interrupted(why); });
  }
  void resumed() override {
    post_([this] { to_.resumed(); });
  }

 private:
  const poster post_;
  const owner to_;
};

}  // namespace argosy::backends
