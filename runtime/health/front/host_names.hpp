// SPDX-License-Identifier: Apache-2.0
// By which names this server may be called. A page may have its own name resolve to any address,
// and its reader's browser then takes what the server answers for the page's own; the header Host
// still says the page's name.
#pragma once

#include <functional>
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

/// The full name of a machine, such as vm.example.com of vm, by /etc/hosts or DNS; empty if none is
/// known. It may wait for DNS.
[[nodiscard]] std::string full_name_of(const std::string& name);

/// Keeps the name of this machine, and the full one that `full_name` finds for a short one, by
/// which others call it.
void keep_machine(host_names& names, const std::string& own,
                  const std::function<std::string(const std::string&)>& full_name = full_name_of);

}  // namespace argosy::health
