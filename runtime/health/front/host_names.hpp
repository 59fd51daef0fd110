// SPDX-License-Identifier: Apache-2.0
// By which names this server may be called. A page may have its own name resolve to any address,
// and its reader's browser then takes what the server answers for the page's own; the header Host
// still says the page's name.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::health {

/// The name in a header Host or in HOST:PORT, in small letters and without its port; of an address
/// of IPv6 it is what stands in the brackets.
[[nodiscard]] std::string host_name(std::string_view text);

/// All functions may be called on any thread.
class host_names {
 public:
  /// `names` are without ports; those of IP addresses are not needed.
  explicit host_names(const std::vector<std::string>& names = {});

  /// Other names take the place of those given before.
  void set(const std::vector<std::string>& names);
  /// This one stays, whatever is set.
  void keep(std::string_view name);

  /// Whether a header Host names an IP address, localhost, or one of the names. An empty one, as
  /// old clients send, names nobody else.
  [[nodiscard]] bool has(std::string_view host) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> kept_{"", "localhost"};
  std::vector<std::string> names_;
};

}  // namespace argosy::health
