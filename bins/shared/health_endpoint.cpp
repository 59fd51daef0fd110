// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/health_endpoint.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "bins/shared/kept_port.hpp"

namespace argosy {

result<std::unique_ptr<health::server>> serve_health(health::server_config config,
                                                     const std::filesystem::path& port_file) {
  std::unique_ptr<health::server> out;
  if (config.listen == "off") return out;
  const auto started = start_on_kept_port(config.listen, port_file, "metrics and health",
                                          [&](const std::string& listen) -> result<std::uint16_t> {
                                            config.listen = listen;
                                            auto tried = health::server::start(config);
                                            if (!tried) return fail(std::move(tried.error()));
                                            out = std::move(*tried);
                                            return out->port();
                                          });
  if (!started) {
    auto why = started.error();
    why.detail +=
        "; set health.listen to another address, to port 0 for any that is free, or to 'off'";
    return fail(std::move(why));
  }
  return out;
}

}  // namespace argosy
