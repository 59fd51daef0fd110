// SPDX-License-Identifier: Apache-2.0
// A Kubernetes cluster in memory: nodes, pods, services and ingresses with versions, what its API
// server answers, and a kubelet that plays the commands of pods. All functions are safe to call
// from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace argosy::testing {

struct kube_request {
  std::string verb;
  std::string path;  ///< Without the query, decoded.
  std::map<std::string, std::string> query;
  std::string body;
  std::string user;  ///< The header Impersonate-User.
  std::vector<std::string> groups;
};

struct kube_answer {
  int status = 200;
  std::string body;
};

/// Requests with this verb whose path has this part are answered so.
struct kube_refusal {
  std::string verb;
  std::string part;
  int status = 403;
  std::string message;
  int times = 1;
};

/// The place of a watch: what comes after this version, of these objects.
struct kube_watch {
  std::string kind;        ///< "pods"
  std::string name_space;  ///< Empty: all.
  std::map<std::string, std::string> query;
  std::uint64_t after = 0;
  std::uint64_t life = 0;  ///< A watch of an earlier life has been cut.
};

class virtual_cluster {
 public:
  using json = nlohmann::json;

  void add_node(const std::string& name, const json& labels = json::object());
  /// Takes effect before anything else is looked at.
  void refuse(kube_refusal what);
  /// Pods that come from now on stay as they were created, and none that runs ends.
  void set_kubelet(bool works);
  /// Ends all watches, and forgets what was before: who resumes gets 410.
  void cut_watches(bool forget);
  /// Somebody deletes a pod by hand.
  void delete_by_hand(const std::string& name_space, const std::string& pod);

  [[nodiscard]] kube_answer ask(const kube_request& what);
  /// Whether the request is one that watches.
  [[nodiscard]] static bool is_watch(const kube_request& what);
  [[nodiscard]] kube_watch begin(const kube_request& what);
  /// The next lines of a watch, or a bookmark if nothing happens for a while. Empty: it has ended.
  [[nodiscard]] std::string next(kube_watch& at);

  /// The names of the objects of a kind, "NAMESPACE/NAME", in order.
  [[nodiscard]] std::vector<std::string> names(const std::string& kind);
  /// The object, or null.
  [[nodiscard]] json object(const std::string& kind, const std::string& name_space,
                            const std::string& name);
  /// The requests with this verb whose path has this part, in order.
  [[nodiscard]] std::vector<kube_request> asked(const std::string& verb, const std::string& part);
  /// Waits until an object of the kind is there whose text has this part; false after 20 s.
  [[nodiscard]] bool wait_for(const std::string& kind, const std::string& part);

 private:
  struct place {
    std::string kind;
    std::string name_space;
    std::string name;
    std::string part;  ///< "log"
  };
  using key = std::pair<std::string, std::string>;
  struct event {
    std::uint64_t version;
    std::string kind;
    std::string type;
    json object;
  };

  static place read(const std::string& path);
  static bool selects(const std::map<std::string, std::string>& query, const json& object);
  kube_answer create(const place& at, const kube_request& what);
  kube_answer remove(const place& at, const kube_request& what);
  kube_answer list(const place& at, const kube_request& what);
  void note(const std::string& kind, const std::string& type, json& object);
  void play(json& pod);
  void set_status(json& pod, json status);
  void kill(const key& pod);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::map<key, json>> objects_;
  std::map<key, std::string> output_;
  std::vector<event> history_;
  std::vector<kube_refusal> refusals_;
  std::vector<kube_request> asked_;
  std::uint64_t version_ = 1;
  std::uint64_t forgotten_ = 0;  ///< The last version of which watches know nothing any more.
  std::uint64_t life_ = 1;
  bool kubelet_works_ = true;
};

}  // namespace argosy::testing
