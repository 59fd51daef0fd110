// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/credentials/kubeconfig.hpp"

#include <filesystem>
#include <optional>
#include <vector>

#include "runtime/base/suggest.hpp"
#include "runtime/base/text.hpp"
#include "runtime/kube/credentials/base64.hpp"
#include "runtime/kube/credentials/exec_credential.hpp"
#include "runtime/kube/credentials/server_url.hpp"
#include "runtime/settings/yaml/parse.hpp"

namespace argosy::kube {

namespace {

using yaml::node;

/// One of the files that count as one.
struct part_of_config {
  node root;
  std::filesystem::path folder;
};

class kubeconfig_reader {
 public:
  kubeconfig_reader(const std::vector<part_of_config>& parts, const kubeconfig_options& options)
      : parts_(parts), options_(options) {}

  result<cluster_access> read() {
    for (const auto& part : parts_)
      if (!part.root.is_mapping())
        wrong(part.root,
              "this is no kubeconfig; it has to begin with apiVersion: v1, kind: Config");
    if (mistakes_.empty()) read_context();
    if (mistakes_.empty()) return out_;
    return fail(ec::invalid_argument, mistakes_);
  }

 private:
  void wrong(const node& at, const std::string& message) {
    mistakes_ += (mistakes_.empty() ? "" : "\n") + at.where() + ": " + message;
  }

  /// The text under a key; empty if there is none.
  std::string text(const node& mapping, std::string_view key) {
    const auto found = mapping.find(key);
    if (!found || found->is_null()) return {};
    if (found->is_scalar()) return std::string{found->text()};
    wrong(*found, "'" + std::string{key} + "' has to be a text");
    return {};
  }

  bool flag(const node& mapping, std::string_view key) {
    const auto value = text(mapping, key);
    if (!value.empty() && value != "true" && value != "false")
      wrong(*mapping.find(key), "'" + std::string{key} + "' has to be true or false");
    return value == "true";
  }

  /// A relative path belongs to the folder of the file that has it.
  std::string path(const node& mapping, std::string_view key) {
    const auto value = text(mapping, key);
    return value.empty() ? value : (folder_ / value).string();
  }

  /// What stands in base64 under KEY-data, else the file under KEY.
  text_source data_or_file(const node& mapping, const std::string& key) {
    text_source from;
    const auto data = text(mapping, key + "-data");
    if (data.empty()) {
      from.file = path(mapping, key);
      return from;
    }
    auto bytes = decode_base64(data);
    // libcurl would take PEM with other bytes before it, and say nothing useful of anything else.
    if (!bytes || bytes->find("-----BEGIN ") == std::string::npos)
      wrong(*mapping.find(key + "-data"),
            "'" + key + "-data' is not PEM in base64; encode the whole file by: base64 -w0 FILE");
    else
      from.text = std::move(*bytes);
    return from;
  }

  /// The mapping under `inner` of the first entry of a list that has this name, in any file. The
  /// paths in it are those of its file from then on.
  std::optional<node> named(const std::string& list, const std::string& inner,
                            const std::string& name, const node& asked_at) {
    std::vector<std::string> names;
    for (const auto& part : parts_) {
      const auto all = part.root.find(list);
      if (!all || !all->is_sequence()) continue;
      for (const auto entry : all->items()) {
        const auto its_name = entry.find("name");
        if (!its_name || !its_name->is_scalar()) continue;
        names.emplace_back(its_name->text());
        if (its_name->text() != name) continue;
        folder_ = part.folder;
        return content(entry, inner, name);
      }
    }
    std::string hint = did_you_mean(name, names);
    if (hint.empty() && !names.empty()) hint = "; there are: " + listed(names);
    if (names.empty())
      hint = (parts_.size() > 1 ? "; no file has an entry under '"
                                : "; the file has no entry under '") +
             list + ":'";
    wrong(asked_at, "there is no " + inner + " '" + shown(name) + "'" + hint);
    return std::nullopt;
  }

  std::optional<node> content(const node& entry, const std::string& inner,
                              const std::string& name) {
    const auto found = entry.find(inner);
    if (found && found->is_mapping()) return found;
    // A user without anything is written as `user: {}` or not at all.
    if (inner != "user" || (found && !found->is_null()))
      wrong(entry, "the " + inner + " '" + shown(name) + "' has no mapping '" + inner + ":'");
    return std::nullopt;
  }

  static std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t names_max = 8;
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < names_max; ++i)
      out += (i == 0 ? "" : ", ") + shown(names[i]);
    return out + (names.size() > names_max ? ", ..." : "");
  }

  void read_context() {
    auto name = options_.context;
    auto asked_at = parts_.front().root;
    for (const auto& part : parts_) {
      if (!name.empty()) break;
      name = text(part.root, "current-context");
      if (!name.empty()) asked_at = *part.root.find("current-context");
    }
    if (name.empty()) {
      wrong(asked_at, "there is no current-context; name the context to use");
      return;
    }
    const auto context = named("contexts", "context", name, asked_at);
    if (!context) return;
    out_.space = text(*context, "namespace");
    const auto cluster = text(*context, "cluster");
    if (cluster.empty())
      wrong(*context, "the context '" + shown(name) + "' names no cluster; add 'cluster: NAME'");
    else if (const auto found = named("clusters", "cluster", cluster, *context->find("cluster")))
      read_cluster(*found);
    if (const auto user = text(*context, "user"); !user.empty())
      if (const auto found = named("users", "user", user, *context->find("user")))
        read_user(*found);
  }

  void read_cluster(const node& from) {
    if (const auto server = text(from, "server"); server.empty())
      wrong(from, "the cluster has no server; add 'server: https://HOST:PORT'");
    else if (const auto url = read_server_url(server); url)
      out_.server = url->text();
    else
      wrong(*from.find("server"), url.error().detail);
    out_.authorities = data_or_file(from, "certificate-authority");
    out_.tls_name = text(from, "tls-server-name");
    if (out_.tls_name.find_first_of(" /:@?#[]\r\n") != std::string::npos)
      wrong(*from.find("tls-server-name"), "'tls-server-name' has to be the name of a host");
    out_.proxy = text(from, "proxy-url");
    if (!flag(from, "insecure-skip-tls-verify")) return;
    const auto at = *from.find("insecure-skip-tls-verify");
    if (!options_.unverified_allowed)
      wrong(at,
            "insecure-skip-tls-verify lets anybody between here and the server read the token; "
            "give certificate-authority instead");
    else if (!out_.authorities.empty())
      wrong(at, "insecure-skip-tls-verify and certificate-authority exclude each other; take one");
    out_.verified = false;
  }

  void read_user(const node& from) {
    for (const std::string key : {"username", "password", "auth-provider", "as", "as-groups"})
      if (const auto found = from.find(key); found && !found->is_null())
        wrong(*found, "'" + key + "' is not supported; use a token, a client certificate or exec");
    out_.token = {.text = text(from, "token"), .file = path(from, "tokenFile")};
    if (out_.token.text.find_first_of("\r\n") != std::string::npos)
      wrong(*from.find("token"), "the token has more than one line; write it in one");
    out_.certificate = data_or_file(from, "client-certificate");
    out_.key = data_or_file(from, "client-key");
    if (mistakes_.empty() && out_.certificate.empty() != out_.key.empty())
      wrong(from, "client-certificate and client-key belong together; add the one that is missing");
    if (const auto exec = from.find("exec"); exec && !exec->is_null()) read_plugin(*exec);
  }

  void read_plugin(const node& from) {
    if (!out_.token.empty())
      wrong(from, "exec and a token exclude each other; take one of them away");
    auto& plugin = out_.plugin;
    plugin.command = text(from, "command");
    if (plugin.command.empty()) wrong(from, "exec has no command; add 'command: PROGRAM'");
    // A name without a slash is looked for along PATH.
    if (plugin.command.find('/') != std::string::npos)
      plugin.command = (folder_ / plugin.command).string();
    plugin.api_version = text(from, "apiVersion");
    if (!is_exec_version(plugin.api_version))
      wrong(from.find("apiVersion").value_or(from),
            "exec speaks the apiVersion '" + shown(plugin.api_version) +
                "'; have it speak client.authentication.k8s.io/v1");
    if (text(from, "interactiveMode") == "Always")
      wrong(*from.find("interactiveMode"),
            "the plugin wants a terminal and there is none; take one that asks nothing");
    plugin.install_hint = text(from, "installHint");
    plugin.wants_cluster = flag(from, "provideClusterInfo");
    read_arguments(from, plugin);
  }

  void read_arguments(const node& from, exec_plugin& plugin) {
    if (const auto args = from.find("args"); args && !args->is_null()) {
      if (!args->is_sequence()) wrong(*args, "'args' has to be a list");
      for (const auto one : args->items()) {
        if (!one.is_scalar()) wrong(one, "an argument has to be a text");
        plugin.arguments.emplace_back(one.text());
      }
    }
    const auto env = from.find("env");
    if (!env || env->is_null()) return;
    if (!env->is_sequence()) wrong(*env, "'env' has to be a list of {name, value}");
    for (const auto one : env->items()) {
      auto name = text(one, "name");
      if (name.empty() || name.find('=') != std::string::npos)
        wrong(one, "a variable needs a name without '='; write {name: NAME, value: VALUE}");
      plugin.environment.emplace_back(std::move(name), text(one, "value"));
    }
  }

  const std::vector<part_of_config>& parts_;
  std::filesystem::path folder_;  ///< The one of the file that is being read.
  const kubeconfig_options& options_;
  cluster_access out_;
  std::string mistakes_;
};

}  // namespace

result<cluster_access> read_kubeconfigs(const std::vector<kubeconfig_file>& files,
                                        const kubeconfig_options& options) {
  constexpr yaml::limits limits{.bytes_max = std::size_t{16} << 20, .nodes_max = 1'000'000};
  std::vector<yaml::document> documents;
  for (const auto& each : files) {
    auto document = yaml::parse(each.text, each.path, limits);
    if (!document) return fail(document.error());
    documents.push_back(std::move(*document));
  }
  if (documents.empty()) return fail(ec::invalid_argument, "there is no kubeconfig file");
  std::vector<part_of_config> parts;
  for (std::size_t i = 0; i < files.size(); ++i)
    parts.push_back({documents[i].root(), std::filesystem::path{files[i].path}.parent_path()});
  return kubeconfig_reader{parts, options}.read();
}

result<cluster_access> read_kubeconfig(std::string_view text, const std::string& file,
                                       const kubeconfig_options& options) {
  return read_kubeconfigs({{file, std::string{text}}}, options);
}

}  // namespace argosy::kube
