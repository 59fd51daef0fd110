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

}  // namespace

result<std::optional<std::string>> server_of_context(const std::string& yaml,
                                                     const std::string& context,
                                                     const std::string& file) {
  auto document = parse_document(yaml, file);
  if (!document) return fail(std::move(document.error()));
  const auto* root = yaml_document_get_root_node(document->get());
  const auto name = context.empty() ? text_of(child(**document, root, "currentContext")) : context;
  if (name.empty()) return std::optional<std::string>{};
  const auto* entry = child(**document, child(**document, root, "contexts"), name);
  if (entry == nullptr)
    return fail(ec::not_found, fmt::format("{} has no context '{}' under contexts:", file, name));
  auto server = text_of(child(**document, entry, "server"));
  if (server.empty())
    return fail(ec::invalid_argument,
                fmt::format("{}: the context '{}' has no server:", file, name));
  return std::optional{std::move(server)};
}

result<std::string> find_server(const environment& env, const server_choice& choice) {
  if (!choice.server.empty()) return choice.server;
  if (auto set = env.variable("ARGOSY_SERVER"); set && choice.context.empty()) return *set;
  const auto wanted =
      choice.context.empty() ? env.variable("ARGOSY_CONTEXT").value_or("") : choice.context;
  const auto file = env.config_dir() / "config.yaml";
  const auto config = read_file(file, config_size_max);
  if (config) {
    auto server = server_of_context(*config, wanted, file.string());
    if (!server) return fail(std::move(server.error()));
    if (server->has_value()) return **server;
  } else if (config.error().code != ec::not_found) {
    return fail(config.error());
  } else if (!wanted.empty()) {
    return fail(ec::not_found, fmt::format("there is no context '{}', since {} does not exist",
                                           wanted, file.string()));
  }
  const auto dev_file = env.state_dir() / "dev" / "server.url";
  if (const auto url = read_file(dev_file, config_size_max); url && !first_line(*url).empty())
    return first_line(*url);
  return fail(ec::unreachable,
              fmt::format("no server is known: --server is not given, ARGOSY_SERVER is not set, "
                          "{} names no current context, and no argosyd --dev has left its address "
                          "in {}. Start one with: argosyd --dev",
                          file.string(), dev_file.string()));
}

}  // namespace argosy::ctl
