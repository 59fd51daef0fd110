// SPDX-License-Identifier: Apache-2.0
// A Lease object on a server, and candidates for it in virtual time, each with clocks of its own.
// Requests and answers take time and may be lost; a candidate may be paused.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/kube/lease/election_core.hpp"

namespace argosy::kube::testing {

using std::chrono::milliseconds;

/// The one object of a namespace, as an API server keeps it.
class lease_server {
 public:
  answer serve(const request& what) {
    requests.push_back(what.verb);
    if (fails_with != 0) return {fails_with, R"({"message":"etcd is away"})"};
    if (what.verb == "POST") {
      if (object) return {409, R"({"message":"it exists"})"};
      object = nlohmann::json::parse(what.body);
      (*object)["metadata"]["uid"] = "u" + std::to_string(++uids_);
      return stored();
    }
    if (!object) return {404, R"({"message":"there is none"})"};
    if (what.verb == "GET") return {200, object->dump()};
    auto next = nlohmann::json::parse(what.body);
    if (next["metadata"]["resourceVersion"] != (*object)["metadata"]["resourceVersion"])
      return {409, R"({"message":"it has been modified"})"};
    object = std::move(next);
    return stored();
  }

  [[nodiscard]] std::string holder() const { return (*object)["spec"]["holderIdentity"]; }

  std::optional<nlohmann::json> object;
  std::vector<std::string> requests;
  int fails_with = 0;

 private:
  answer stored() {
    (*object)["metadata"]["resourceVersion"] = std::to_string(++versions_);
    return {200, object->dump()};
  }
  int uids_ = 0;
  int versions_ = 0;
};

/// A replica whose clocks are its own: `offset` is what its clock since boot is ahead, `skew` what
/// its wall clock is, and `rate` how fast both run.
class candidate {
 public:
  candidate(std::string identity, boot_time offset, boot_time skew, double rate = 1.0,
            milliseconds renew_within = milliseconds{10'000})
      : core({.name_space = "argosy",
              .name = "agent",
              .identity = std::move(identity),
              .renew_within = renew_within}),
        offset_(offset),
        skew_(skew),
        rate_(rate) {}

  [[nodiscard]] boot_time boot(boot_time now) const {
    return offset_ + boot_time{static_cast<std::int64_t>(static_cast<double>(now.count()) * rate_)};
  }
  [[nodiscard]] wall_time wall(boot_time now) const { return wall_time{boot(now) + skew_}; }
  /// Whether it may change anything now.
  [[nodiscard]] bool acts(boot_time now) const { return core.held_until() > boot(now); }

  election_core core;

 private:
  boot_time offset_;
  boot_time skew_;
  double rate_;
};

}  // namespace argosy::kube::testing
