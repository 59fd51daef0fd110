// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/health_endpoint.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/backends/run/file.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy {

namespace {

const logging::logger logger{"health"};

constexpr std::string_view any_port = ":0";

/// The port in the file; nothing when there is no such file or it holds something else.
std::optional<std::uint16_t> remembered_port(const std::filesystem::path& file) {
  const auto text = backends::read_file(file, 64);
  if (!text) return std::nullopt;
  const auto line = std::string_view{*text}.substr(0, text->find('\n'));
  std::uint16_t port = 0;
  const auto* const end = line.data() + line.size();
  const auto [last, code] = std::from_chars(line.data(), end, port);
  if (code != std::errc{} || last != end || port == 0) return std::nullopt;
  return port;
}

result<std::unique_ptr<health::server>> start(const health::server_config& config) {
  auto started = health::server::start(config);
  if (started) return started;
  auto why = started.error();
  why.detail +=
      "; set health.listen to another address, to port 0 for any that is free, or to 'off'";
  return fail(std::move(why));
}

}  // namespace

result<std::unique_ptr<health::server>> serve_health(health::server_config config,
                                                     const std::filesystem::path& port_file) {
  if (config.listen == "off") return std::unique_ptr<health::server>{};
  if (!config.listen.ends_with(any_port)) return start(config);
  if (const auto port = remembered_port(port_file)) {
    auto again = config;
    again.listen.replace(again.listen.size() - 1, 1, std::to_string(*port));
    if (auto started = health::server::start(again)) return started;
    logger.warning("the port of metrics and health is in use; taking another one",
                   logging::kv("port", *port));
  }
  auto started = start(config);
  if (!started) return started;
  const auto written = backends::write_file(port_file, std::to_string((*started)->port()) + "\n",
                                            backends::sync_mode::no);
  if (!written)
    logger.warning("the port of metrics and health is not remembered",
                   logging::kv("error", to_string(written.error())));
  return started;
}

}  // namespace argosy
