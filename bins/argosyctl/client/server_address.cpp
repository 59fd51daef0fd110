// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/server_address.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <memory>

namespace argosy::ctl {

namespace {

constexpr std::size_t config_size_max = 1u << 20;

struct document_deleter {
  void operator()(yaml_document_t* document) const {
    yaml_document_delete(document);
    delete document;
  }
};
using document_ptr = std::unique_ptr<yaml_document_t, document_deleter>;

result<document_ptr> parse_document(const std::string& yaml, const std::string& file) {
  yaml_parser_t parser;
  if (yaml_parser_initialize(&parser) == 0) return fail(ec::internal, "no memory for YAML");
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(yaml.data()),
                               yaml.size());
  document_ptr document{new yaml_document_t{}};
  const bool loaded = yaml_parser_load(&parser, document.get()) != 0;
  const auto mark = parser.problem_mark;
  const std::string problem = parser.problem == nullptr ? "not YAML" : parser.problem;
  yaml_parser_delete(&parser);
  if (!loaded)
    return fail(ec::invalid_argument,
                fmt::format("{}:{}:{}: {}", file, mark.line + 1, mark.column + 1, problem));
  return document;
}

const yaml_node_t* child(yaml_document_t& document, const yaml_node_t* node,
                         const std::string& key) {
  if (node == nullptr || node->type != YAML_MAPPING_NODE) return nullptr;
  for (const auto* pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
       ++pair) {
    const auto* name = yaml_document_get_node(&document, pair->key);
    if (name->type == YAML_SCALAR_NODE &&
        key == std::string_view{reinterpret_cast<const char*>(name->data.scalar.value),
                                name->data.scalar.length})
      return yaml_document_get_node(&document, pair->value);
  }
  return nullptr;
}

std::string text_of(const yaml_node_t* node) {
  if (node == nullptr || node->type != YAML_SCALAR_NODE) return {};
  return {reinterpret_cast<const char*>(node->data.scalar.value), node->data.scalar.length};
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

/// The scheme of a URL; empty when it has none.
std::string scheme_of(const std::string& url) {
  const auto end = url.find("://");
  return end == std::string::npos ? std::string{} : url.substr(0, end);
}

bool is_nats(const std::string& scheme) {
  return scheme == "nats" || scheme == "tls" || scheme == "ws" || scheme == "wss";
}

error not_nats(const std::string& where, const std::string& url) {
  const auto at = url.rfind('@');
  return {
      ec::invalid_argument,
      fmt::format("{}: '{}' is no address for argosyctl, which talks to the server over NATS and "
                  "not over gRPC or HTTP; give nats://HOST:PORT, as argosyd prints it",
                  where, at == std::string::npos ? url : url.substr(at + 1))};
}

/// Checks a URL. Without a scheme NATS is meant; Armada's addresses have no scheme and mean gRPC.
result<void> check(const std::string& where, const std::string& url, bool of_armada) {
  const auto scheme = scheme_of(url);
  if (is_nats(scheme) || (scheme.empty() && !of_armada)) return {};
  return fail(not_nats(where, url));
}

/// The address that a flag or a variable gives.
result<server_address> given(const std::string& where, std::string url, bool of_armada,
                             std::string said_by) {
  if (auto valid = check(where, url, of_armada); !valid) return fail(std::move(valid.error()));
  return server_address{std::move(url), std::move(said_by)};
}

/// A configuration file that may have contexts.
struct context_file {
  std::filesystem::path path;
  std::string key;
  bool of_armada = false;
};

/// The server of the context; nothing if the text has no current context.
result<std::optional<server_address>> look_into(const std::string& text, const context_file& file,
                                                const std::string& wanted) {
  auto one = find_context(text, wanted, file.path.string(), file.key);
  if (!one) return fail(std::move(one.error()));
  if (!one->has_value()) return std::optional<server_address>{};
  auto& found = **one;
  const auto url = url_of(found);
  if (auto valid = check(file.path.string(), url, file.of_armada); !valid)
    return fail(std::move(valid.error()));
  auto warning = has_secret(found) ? mode_warning(file.path) : std::string{};
  auto said_by = fmt::format("context '{}' in {}", found.name, file.path.string());
  return std::optional{
      server_address{url, std::move(said_by), std::move(found), std::move(warning)}};
}

/// The same for a file; nothing if there is no such file or no current context in it.
result<std::optional<server_address>> look_up(const context_file& file, const std::string& wanted) {
  const auto text = read_file(file.path, config_size_max);
  if (!text && text.error().code == ec::not_found) {
    if (wanted.empty()) return std::optional<server_address>{};
    return fail(ec::not_found, fmt::format("{} does not exist", file.path.string()));
  }
  if (!text) return fail(text.error());
  return look_into(*text, file, wanted);
}

/// The server of a file that the user named: whatever is wrong with that file is an error.
result<server_address> server_of_named_file(const context_file& file, const std::string& wanted) {
  const auto text = read_file(file.path, config_size_max);
  if (!text) return fail(ec::invalid_argument, "--config: " + text.error().detail);
  auto server = look_into(*text, file, wanted);
  if (!server) return fail(std::move(server.error()));
  if (server->has_value()) return std::move(**server);
  return fail(ec::invalid_argument,
              fmt::format("--config: {} has no currentContext:; name a context with --context",
                          file.path.string()));
}

/// The server of the contexts of both files. `passed_over` says why armadactl's is of no use.
result<std::optional<server_address>> server_of_files(const context_file& own,
                                                      const context_file& armada,
                                                      const std::string& wanted,
                                                      std::string& passed_over) {
  auto server = look_up(own, wanted);
  const bool elsewhere = !server && server.error().code == ec::not_found && !wanted.empty();
  if ((!server && !elsewhere) || (server && server->has_value())) return server;
  auto other = look_up(armada, wanted);
  if (other) return other;
  if (wanted.empty()) {
    passed_over = other.error().detail;
    return std::optional<server_address>{};
  }
  if (other.error().code != ec::not_found) return other;
  return fail(ec::not_found, fmt::format("there is no context '{}': {}, and {}", wanted,
                                         server.error().detail, other.error().detail));
}

}  // namespace

result<std::optional<context>> find_context(const std::string& yaml, const std::string& wanted,
                                            const std::string& file, const std::string& key) {
  auto document = parse_document(yaml, file);
  if (!document) return fail(std::move(document.error()));
  const auto* root = yaml_document_get_root_node(document->get());
  auto name = wanted.empty() ? text_of(child(**document, root, "currentContext")) : wanted;
  if (name.empty()) return std::optional<context>{};
  const auto* entry = child(**document, child(**document, root, "contexts"), name);
  if (entry == nullptr)
    return fail(ec::not_found, fmt::format("{} has no context '{}' under contexts:", file, name));
  auto one = context_of(name, [&](const char* field) {
    return text_of(child(**document, entry, std::string_view{field} == "server" ? key : field));
  });
  if (one.server.empty())
    return fail(ec::invalid_argument,
                fmt::format("{}: the context '{}' has no {}:", file, name, key));
  if (auto valid = validate(one); !valid)
    return fail(ec::invalid_argument, fmt::format("{}: {}", file, valid.error().detail));
  one.credentials = beside(file, one.credentials);
  return std::optional{std::move(one)};
}

result<server_address> find_server(const environment& env, const server_choice& choice) {
  if (!choice.server.empty()) return given("--server", choice.server, false, {});
  if (!choice.armada_url.empty()) return given("--armadaUrl", choice.armada_url, true, {});
  const auto wanted =
      choice.context.empty() ? env.variable("ARGOSY_CONTEXT").value_or("") : choice.context;
  if (!choice.armada_config.empty())
    return server_of_named_file({choice.armada_config, "armadaUrl", true}, wanted);
  if (auto set = env.variable("ARGOSY_SERVER"); set && choice.context.empty())
    return given("ARGOSY_SERVER", *set, false, "ARGOSY_SERVER");
  const context_file own{env.config_dir() / "config.yaml", "server"};
  const context_file armada{env.home() / ".armadactl.yaml", "armadaUrl", true};
  std::string passed_over;
  auto server = server_of_files(own, armada, wanted, passed_over);
  if (!server) return fail(std::move(server.error()));
  if (server->has_value()) return **server;
  const auto dev_file = env.state_dir() / "dev" / "server.url";
  if (const auto url = read_file(dev_file, config_size_max); url && !first_line(*url).empty())
    return server_address{first_line(*url), "the last argosyd --dev, in " + dev_file.string()};
  return fail(
      ec::unreachable,
      fmt::format("no server is known: --server is not given, ARGOSY_SERVER is not set, neither {} "
                  "nor {} has a current context of use{}{}, and no argosyd --dev has left its "
                  "address in {}. Start one with: argosyd --dev",
                  own.path.string(), armada.path.string(), passed_over.empty() ? "" : " - ",
                  passed_over, dev_file.string()));
}

}  // namespace argosy::ctl
