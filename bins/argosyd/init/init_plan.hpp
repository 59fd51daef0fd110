// SPDX-License-Identifier: Apache-2.0
// This file declares how the files that `argosyd init` makes are planned: those of a deployment
// whose nats-server asks everybody who he is. It is pure but for the keys, which the function draws
// that is handed in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/access/nkey.hpp"
#include "runtime/access/server_plan.hpp"
#include "runtime/base/result.hpp"

namespace argosy::argosyd {

/// A cluster of Kubernetes that an agent is to use from outside, as a kubeconfig file has it.
struct kube_target {
  std::string context{};      ///< The name of its context in the caller's own file.
  std::string server{};       ///< The URL of its API server.
  std::string authorities{};  ///< PEM of those that sign the server's certificate; empty: system's.
  std::string tls_name{};     ///< The name in that certificate, if it is another than the URL's.
  std::string proxy{};
};

/// The arguments. Users are "NAME" or "NAME:ROLE"; without a role a user is a submitter.
struct init_request {
  std::filesystem::path folder{};  ///< An absolute path.
  std::string listen{"127.0.0.1:4222"};
  std::string url{};   ///< The URL that others use; empty: it follows from `listen`.
  std::string grpc{};  ///< HOST:PORT at which argosyd serves gRPC; empty: it does not.
  /// Three machines, "a,b,c", each with a nats-server and an argosyd; empty: one of each.
  std::string machines{};
  std::string certificate{};
  std::string certificate_key{};
  std::string authority{};
  std::vector<std::string> clusters{};
  std::vector<std::string> users{};
  std::vector<std::string> add_clusters{};
  std::vector<std::string> add_users{};
  /// Identities: "agent/NAME" or "user/NAME".
  std::vector<std::string> remove{};
  /// Identities, "argosyd" among them, that get a new key.
  std::vector<std::string> rotate{};
  /// The context for the one cluster that `clusters` or `add_clusters` names.
  std::string context{};
  /// It holds what that context says; init() sets it before the plan is made.
  std::optional<kube_target> kubernetes{};
  bool rewrite = false;  ///< Writes the rights anew, though nobody comes or goes.
  /// Where the nats-server keeps the log, an absolute path; empty: "jetstream" in `state`.
  std::filesystem::path store{};
  /// The folder for what the programs keep; empty: the nats-server's is in `folder`, and the
  /// programs have their defaults.
  std::filesystem::path state{};
  /// The free bytes on the disk of the store, where the nats-server keeps the log; 0: unknown.
  std::uint64_t disk_free_bytes = 0;

  /// Whether it changes a deployment that is there, instead of making one.
  [[nodiscard]] bool changes() const {
    return !add_clusters.empty() || !add_users.empty() || !remove.empty() || !rotate.empty() ||
           rewrite;
  }
};

struct init_file {
  std::filesystem::path path{};  ///< The path below the folder.
  std::string text{};
  bool is_public = false;  ///< The nats-server reads it, which may be of another user.
};

struct init_outcome {
  std::vector<init_file> files{};  ///< In the order in which they are written.
  std::filesystem::path store{};   ///< The folder of the log of the nats-server.
  std::string said{};              ///< The text to print: what was made, and how to start it.
};

using key_maker = std::function<result<access::nkey>()>;

/// The file of the folder that remembers the members.
inline constexpr const char* plan_file = "access.list";
/// The key of the log of three argosyd, below the folder. A single one makes its own.
inline constexpr const char* log_key_file = "credentials/log.key";
/// The name of the settings of the argosyd of this machine, or of the only one.
[[nodiscard]] inline std::string settings_file_of(const std::string& machine) {
  return machine.empty() ? "argosyd.yaml" : "argosyd." + machine + ".yaml";
}
/// Whether the file below the folder is one that argosyd reads.
[[nodiscard]] bool is_of_argosyd(const std::filesystem::path& file);

/// Reads a file below the folder; ec::not_found if there is none.
using file_reader = std::function<result<std::string>(const std::filesystem::path&)>;

/// Where the log of a new deployment lies, if its settings go to `folder`: with what /etc/NAME has
/// in /var/lib/NAME, and with what ~/.config/NAME has in ~/.local/state/NAME, which are `config`
/// and `state` here. Empty for other folders, which have everything in one place.
[[nodiscard]] std::filesystem::path state_of(const std::filesystem::path& folder,
                                             const std::filesystem::path& config,
                                             const std::filesystem::path& state);

/// Says what is wrong with the plan in `file`, which parse_plan() refused with `why`, and what to
/// do about it.
[[nodiscard]] std::string damaged_plan(const std::filesystem::path& file, const error& why);

/// Settings that are there stay as they are, and so does nats-server.conf, of which a version that
/// has the rights in itself gets them taken out. ec::conflict when a deployment is there and
/// another is to be made; ec::not_found when one is to be changed and there is none;
/// ec::invalid_argument for names, roles and addresses that cannot be.
[[nodiscard]] result<init_outcome> plan_init(const init_request& request,
                                             const file_reader& present, const key_maker& make_key);

}  // namespace argosy::argosyd
