// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/kept_port.hpp"

#include <charconv>
#include <string_view>

#include "runtime/backends/run/file.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy {

namespace {

const logging::logger logger{"ports"};

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

}  // namespace

result<void> start_on_kept_port(
    std::string listen, const std::filesystem::path& file, const std::string& what,
    const std::function<result<std::uint16_t>(const std::string& listen)>& start) {
  const auto without_value = [](const result<std::uint16_t>& started) -> result<void> {
    if (!started) return fail(started.error());
    return {};
  };
  if (!listen.ends_with(any_port)) return without_value(start(listen));
  if (const auto port = remembered_port(file)) {
    auto again = listen;
    again.replace(again.size() - 1, 1, std::to_string(*port));
    if (start(again)) return {};
    logger.warning("the port of " + what + " is in use; taking another one",
                   logging::kv("port", *port));
  }
  const auto started = start(listen);
  if (!started) return fail(started.error());
  const auto written =
      backends::write_file(file, std::to_string(*started) + "\n", backends::sync_mode::no);
  if (!written)
    logger.warning("the port of " + what + " is not remembered",
                   logging::kv("error", to_string(written.error())));
  return {};
}

}  // namespace argosy
