// SPDX-License-Identifier: Apache-2.0
// The services and ingresses of runs: which requests to the API server are due. They are made
// before the run's pod and deleted when the run has ended. It is pure, as pod_runs is: the backend
// tells it what comes in, with the time, and carries out what it returns.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/pod_runs.hpp"
#include "runtime/backends/kubernetes/port_addresses.hpp"

namespace argosy::backends {

struct attached_request {
  model::run_key run;
  std::string path;  ///< That of the object.
  kube::request request;
};

struct attached_step {
  struct refused_run {
    model::run_key run;
    refusal why;
  };
  struct reached_run {
    model::run_key run;
    port_addresses addresses;  ///< All that are known.
  };
  std::vector<attached_request> requests;
  std::vector<model::run_key> ready;  ///< Runs of which all objects are there.
  std::vector<refused_run> refused;   ///< Runs of which one could not be made; the others go.
  std::vector<reached_run> reached;   ///< Runs of which another address is known.
};

class attached_objects {
 public:
  /// The cluster and the patience of these rules count here as well.
  explicit attached_objects(pod_rules rules) : rules_(std::move(rules)) {}

  /// Has the objects of a run made. The run is told as ready, or as refused.
  void launch(const model::run_key& run, const std::vector<nlohmann::json>& objects,
              const kube::acting_user& owner, boot_time now);
  /// Deletes what a run has, or is about to have.
  void drop(const model::run_key& run, boot_time now);

  /// An object that is there. One of a run that is over, or that nobody knows, is deleted if it is
  /// of this cluster and control plane.
  void seen(const std::string& path, const nlohmann::json& object, const std::string& control_plane,
            bool run_is_open, boot_time now);
  void gone(const std::string& path);
  void answered(const model::run_key& run, const std::string& path,
                const result<kube::answer>& answer, boot_time now);
  /// The API server answers again: requests that it did not answer need not wait any longer.
  void server_answers(boot_time now);
  void tick(boot_time now);
  [[nodiscard]] boot_time next_due() const;
  [[nodiscard]] attached_step take() { return std::exchange(step_, {}); }
  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }

 private:
  enum class ask : std::uint8_t { create, look, remove };
  struct item {
    std::string manifest;  ///< Until it is made.
    std::string uid;       ///< Empty: not known.
    ask last = ask::create;
    bool clash = false;  ///< The API server says that the name is taken.
    bool made = false;
    bool uncertain = false;  ///< A request to make it may have taken effect.
    bool asking = false;
    bool unanswered = false;  ///< So was the last request.
    bool as_agent = false;    ///< The owner may not delete it, so that the agent does.
    std::uint32_t tries = 0;
    boot_time due{};
  };
  struct owned {
    std::map<std::string, item> objects;  ///< By path.
    kube::acting_user owner;
    port_addresses addresses;
    bool leaving = false;
    boot_time first_try{};
  };

  void send(const model::run_key& key, owned& run, const std::string& path, item& what);
  void created(const model::run_key& key, owned& run, const std::string& path, item& what,
               const result<kube::answer>& answer, boot_time now);
  void looked(const model::run_key& key, owned& run, const std::string& path, item& what,
              const result<kube::answer>& answer, boot_time now);
  void note_made(const model::run_key& key, owned& run, item& what, const nlohmann::json& object);
  void note_addresses(const model::run_key& key, owned& run, const nlohmann::json& object);
  void refuse(const model::run_key& key, const std::string& path, refusal why);
  /// Looks at an object of a run that is over. Returns whether it is gone, or another's.
  bool looked_last(const model::run_key& key, item& what, const result<kube::answer>& answer,
                   boot_time now) const;
  /// Returns whether the object is certainly gone.
  bool removed(const owned& run, item& what, const result<kube::answer>& answer, boot_time now);
  void try_again(item& what, boot_time now) const;

  /// Whether a request about the object may be sent once it is due. Few objects are made at a time.
  [[nodiscard]] bool may_ask(const owned& run, const item& what) const;

  const pod_rules rules_;
  std::map<model::run_key, owned> runs_;
  std::size_t creating_ = 0;  ///< Requests to make an object that are under way.
  attached_step step_;
};

/// The path of an object of a kind that may be attached, "/api/v1/namespaces/jobs/services/x".
[[nodiscard]] std::string attached_path(const nlohmann::json& object);
/// "services" or "ingresses".
[[nodiscard]] const char* attached_name(const std::string& path);

}  // namespace argosy::backends
