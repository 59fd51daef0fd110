// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/export/otel_environment.hpp"

#include <charconv>
#include <string_view>

namespace argosy::trace::otlp {

namespace {

using text_pairs = std::vector<std::pair<std::string, std::string>>;

error bad_value(const char* name, const std::string& value, const std::string& wanted) {
  return {ec::invalid_argument,
          std::string{"the environment variable "} + name + " is '" + value + "'; " + wanted};
}

/// Reads variables, the special one before the general one, and keeps the first error.
class reader {
 public:
  explicit reader(const variables& read) : read_(read) {}

  std::optional<std::string> text(const char* name) {
    auto value = read_(name);
    // OpenTelemetry takes an empty variable for one that is not set.
    return value && !value->empty() ? value : std::nullopt;
  }

  std::pair<const char*, std::optional<std::string>> text(const char* special,
                                                          const char* general) {
    if (auto value = text(special)) return {special, std::move(value)};
    return {general, text(general)};
  }

  template <class T>
  void number(const char* special, const char* general, T least, T most, T& into) {
    const auto [name, value] = text(special, general);
    if (!value) return;
    T parsed{};
    const auto* end = value->data() + value->size();
    const auto [stop, code] = std::from_chars(value->data(), end, parsed);
    if (code != std::errc{} || stop != end || parsed < least || parsed > most)
      note(bad_value(
          name, *value,
          "it is a number from " + std::to_string(least) + " to " + std::to_string(most)));
    else
      into = parsed;
  }

  /// "key=value,key=value", with %XX for special characters.
  void pairs(const char* special, const char* general, text_pairs& into) {
    const auto [name, value] = text(special, general);
    if (!value) return;
    std::string_view rest = *value;
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      const auto item = trimmed(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
      if (item.empty()) continue;
      const auto equals = item.find('=');
      if (equals == std::string_view::npos || equals == 0) {
        note(bad_value(name, *value, "it has the form key=value,key=value"));
        return;
      }
      into.emplace_back(trimmed(item.substr(0, equals)), decoded(trimmed(item.substr(equals + 1))));
    }
  }

  void note(error why) {
    if (!wrong_) wrong_ = std::move(why);
  }
  [[nodiscard]] const std::optional<error>& wrong() const { return wrong_; }

 private:
  static std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
  }

  static std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      unsigned code = 0;
      if (text[i] == '%' && i + 2 < text.size() &&
          std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ptr ==
              text.data() + i + 3) {
        out += static_cast<char>(code);
        i += 2;
      } else {
        out += text[i];
      }
    }
    return out;
  }

  const variables& read_;
  std::optional<error> wrong_;
};

bool is_header_text(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) return false;
  return true;
}

std::optional<std::string> read_url(reader& from) {
  constexpr auto traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  constexpr auto all = "OTEL_EXPORTER_OTLP_ENDPOINT";
  auto [name, url] = from.text(traces, all);
  if (!url) return std::nullopt;
  if (!url->starts_with("http://") && !url->starts_with("https://"))
    from.note(bad_value(name, *url, "it begins with http:// or https://"));
  if (name == std::string_view{all}) *url += url->ends_with('/') ? "v1/traces" : "/v1/traces";
  return url;
}

void read_sampler(reader& from, export_settings& into) {
  constexpr auto name = "OTEL_TRACES_SAMPLER";
  const auto sampler = from.text(name);
  if (!sampler) return;
  std::string_view kind = *sampler;
  if (kind.starts_with("parentbased_")) kind.remove_prefix(std::string_view{"parentbased_"}.size());
  if (kind == "always_off")
    into.ratio = 0;
  else if (kind == "traceidratio")
    from.number("OTEL_TRACES_SAMPLER_ARG", "OTEL_TRACES_SAMPLER_ARG", 0.0, 1.0, into.ratio);
  else if (kind != "always_on")
    from.note(bad_value(name, *sampler,
                        "it is always_on, always_off or traceidratio, with parentbased_ in front "
                        "of it or not"));
}

void read_numbers(reader& from, export_settings& into) {
  std::int64_t millis = into.timeout.count();
  from.number("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT", std::int64_t{1},
              std::int64_t{600'000}, millis);
  into.timeout = std::chrono::milliseconds{millis};
  millis = into.delay.count();
  from.number("OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_SCHEDULE_DELAY", std::int64_t{1},
              std::int64_t{600'000}, millis);
  into.delay = std::chrono::milliseconds{millis};
  from.number("OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_QUEUE_SIZE", std::size_t{1},
              std::size_t{1'000'000}, into.queue_max);
  from.number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", std::size_t{1},
              std::size_t{100'000}, into.batch_max);
}

void read_protocol(reader& from) {
  const auto [name, protocol] =
      from.text("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol && *protocol != "http/protobuf")
    from.note(bad_value(name, *protocol, "only http/protobuf is spoken"));
}

}  // namespace

result<std::optional<export_settings>> read_environment(const variables& read) {
  reader from{read};
  if (from.text("OTEL_SDK_DISABLED") == "true") return std::optional<export_settings>{};
  const auto exporter = from.text("OTEL_TRACES_EXPORTER");
  if (exporter == "none") return std::optional<export_settings>{};
  if (exporter && *exporter != "otlp")
    from.note(bad_value("OTEL_TRACES_EXPORTER", *exporter, "it is otlp or none"));
  const auto url = read_url(from);
  if (!url) return std::optional<export_settings>{};
  export_settings out;
  out.url = *url;
  read_protocol(from);
  from.pairs("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS", out.headers);
  for (const auto& [key, value] : out.headers)
    if (!is_header_text(key) || !is_header_text(value))
      from.note({ec::invalid_argument,
                 "the headers in OTEL_EXPORTER_OTLP_HEADERS hold control characters"});
  from.pairs("OTEL_RESOURCE_ATTRIBUTES", "OTEL_RESOURCE_ATTRIBUTES", out.attributes);
  std::erase_if(out.attributes, [&](const auto& pair) {
    if (pair.first != "service.name") return false;
    out.service = pair.second;
    return true;
  });
  if (auto service = from.text("OTEL_SERVICE_NAME")) out.service = std::move(*service);
  read_sampler(from, out);
  read_numbers(from, out);
  if (from.wrong()) return fail(*from.wrong());
  return std::optional{std::move(out)};
}

}  // namespace argosy::trace::otlp
