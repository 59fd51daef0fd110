// SPDX-License-Identifier: Apache-2.0
// Where the API server of a cluster is and as whom it is asked: what a kubeconfig file or the
// folder of a pod says, before any file that it names is read. A value.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::kube {

/// A text that stands in the configuration or in a file; the file counts if both are there.
struct text_source {
  std::string text{};
  std::string file{};

  [[nodiscard]] bool empty() const noexcept { return text.empty() && file.empty(); }
};

/// A program that makes credentials (ExecCredential of client.authentication.k8s.io).
struct exec_plugin {
  std::string command{};  ///< A path, or a name that is looked for along PATH; empty for none.
  std::vector<std::string> arguments{};
  std::vector<std::pair<std::string, std::string>> environment{};
  std::string api_version{};
  std::string install_hint{};
  bool wants_cluster = false;
};

struct cluster_access {
  /// The URL without a slash at its end: "https://10.0.0.1:6443", perhaps with a path.
  std::string server{};
  /// PEM of the authorities that may sign the server's certificate; empty for those of the system.
  text_source authorities{};
  /// The name in the server's certificate, if it is another than that of the URL.
  std::string tls_name{};
  /// Whether the server has to prove who it is.
  bool verified = true;
  std::string proxy{};
  /// The namespace of the context; empty if it names none.
  std::string space{};

  text_source token{};
  text_source certificate{};  ///< PEM
  text_source key{};          ///< PEM
  exec_plugin plugin{};
};

/// Where an access was read, so that it counts anew once somebody has changed that.
struct access_origin {
  std::vector<std::string> files{};
  /// Fails with the file, the place in it and what is wrong. Empty: the access never changes.
  std::function<result<cluster_access>()> read{};
};

/// The way to a server.
struct server_place {
  std::string server{};  ///< As in cluster_access, and so are the others.
  std::string tls_name{};
  std::string proxy{};
  bool verified = true;

  friend bool operator==(const server_place&, const server_place&) = default;
};

[[nodiscard]] inline server_place place_of(const cluster_access& access) {
  return {access.server, access.tls_name, access.proxy, access.verified};
}

}  // namespace argosy::kube
