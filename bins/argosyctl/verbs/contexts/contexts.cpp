// SPDX-License-Identifier: Apache-2.0
// The verbs config get-contexts|current-context|use-context|set-context|rename-context|
// delete-context|view: the contexts of the user's configuration file. None of them asks a server.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bins/argosyctl/client/contexts.hpp"
#include "bins/argosyctl/login/token_file.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/output/yaml.hpp"
#include "bins/argosyctl/verbs/contexts/context_flags.hpp"
#include "bins/argosyctl/verbs/listing.hpp"
#include "runtime/base/suggest.hpp"

namespace argosy::ctl {

namespace {

constexpr auto hidden = "REDACTED";

/// Returns the fields of a context, with REDACTED in place of its secrets.
nlohmann::ordered_json shown(const context& one) {
  nlohmann::ordered_json out{{"server", without_secret(one.server)}};
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) out[key] = text;
  };
  add("user", one.user);
  add("password", one.password.empty() ? "" : hidden);
  add("token", one.token.empty() ? "" : hidden);
  add("credentials", one.credentials);
  add("grpc", without_secret(one.grpc));
  add("caFile", one.ca_file);
  add("certificateFile", one.certificate);
  add("keyFile", one.key);
  add("oidcIssuer", one.issuer);
  add("oidcClientId", one.client_id);
  add("oidcScopes", one.scopes);
  add("oidcCaFile", one.issuer_ca);
  return out;
}

error unknown_context(const context_list& all, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& one : all.contexts) names.push_back(one.name);
  return {ec::not_found,
          fmt::format("there is no context '{}'{}", name, did_you_mean(name, names))};
}

/// The base of these verbs. It reads the file, and writes it back if the verb has changed
/// something.
class context_command : public command {
 public:
  result<exit_code> run(session& s) final {
    const auto file = contexts_file(s.env);
    auto all = read_contexts(file);
    if (!all) return fail(std::move(all.error()));
    const auto before = print_contexts(*all);
    if (std::ranges::any_of(all->contexts, has_secret))
      if (const auto wrong = mode_warning(file); !wrong.empty()) s.out.notice("warning: " + wrong);
    if (auto done = act(s, *all); !done) return fail(std::move(done.error()));
    if (print_contexts(*all) != before) {
      if (auto written = write_contexts(file, *all); !written)
        return fail(std::move(written.error()));
      *s.changed = true;
      if (!told_.empty()) s.carried_out = told_.front();
    }
    settled(s);
    for (const auto& text : told_) s.out.print_line(text);
    return exit_code::success;
  }
  std::string_view completes() const override { return "contexts"; }

 protected:
  /// Does the work on what was read; what it changes is written.
  virtual result<void> act(session& s, context_list& all) = 0;
  /// Does what has to wait until the file was written.
  virtual void settled(session&) {}
  /// Prints a line after the file was written.
  void tell(std::string text) { told_.push_back(std::move(text)); }

 private:
  std::vector<std::string> told_;
};

class get_contexts_command final : public context_command {
 public:
  explicit get_contexts_command(CLI::App& app) {
    app.footer(
        "argosyctl config get-contexts\n"
        "argosyctl config get-contexts -o name");
  }
  std::vector<std::string> formats() const override {
    return {"table", "wide", "json", "jsonl", "yaml", "name", "csv", "cols="};
  }
  std::string_view completes() const override { return {}; }

 protected:
  result<void> act(session& s, context_list& all) override {
    listing items{{{"CURRENT"},
                   {.title = "NAME", .yields_to = 8},
                   {.title = "SERVER", .yields_to = 12},
                   {"LOGIN"},
                   {.title = "USER", .yields_to = 6},
                   {.title = "CREDENTIALS", .wide = true},
                   {.title = "GRPC", .wide = true},
                   {.title = "CA FILE", .wide = true},
                   {.title = "CERTIFICATE FILE", .wide = true},
                   {.title = "OIDC ISSUER", .wide = true}}};
    for (const auto& one : all.contexts) {
      items.rows.add({std::string{one.name == all.current ? "*" : ""}, one.name,
                      without_secret(one.server), std::string{kind_of(one)}, one.user,
                      one.credentials, without_secret(one.grpc), one.ca_file, one.certificate,
                      one.issuer});
      items.names.push_back("context/" + one.name);
      auto object = shown(one);
      object["name"] = one.name;
      object["current"] = one.name == all.current;
      items.json.push_back(object.dump());
    }
    if (all.contexts.empty()) items.hint = "no contexts; make one with: argosyctl login URL";
    if (auto settled = settle_listing(s, items); !settled) return settled;
    show(s, items);
    if (!items.hint.empty()) s.out.hint(items.hint);
    return {};
  }
};

class current_context_command final : public context_command {
 public:
  explicit current_context_command(CLI::App& app) {
    app.footer("argosyctl config current-context");
  }
  std::string_view completes() const override { return {}; }

 protected:
  result<void> act(session&, context_list& all) override {
    if (all.current.empty())
      return fail(ec::not_found,
                  "no context is the current one; choose one with: argosyctl config "
                  "use-context NAME");
    tell(escaped(all.current));
    return {};
  }
};

class use_context_command final : public context_command {
 public:
  explicit use_context_command(CLI::App& app) {
    app.footer("argosyctl config use-context work");
    app.add_option("name", name_, "Name of the context")->required()->type_name("NAME");
  }

 protected:
  result<void> act(session&, context_list& all) override {
    if (all.find(name_) == nullptr) return fail(unknown_context(all, name_));
    all.current = name_;
    tell(fmt::format("context '{}' is now the current one", escaped(name_)));
    return {};
  }

 private:
  std::string name_;
};

class set_context_command final : public context_command {
 public:
  explicit set_context_command(CLI::App& app) {
    app.description(
        "Create a context, or change what is named of one, without asking a server. The global "
        "flag --server names its server.");
    app.footer(
        "argosyctl config set-context work --server tls://argosy.example.com:4222\n"
        "argosyctl config set-context work --credentials ~/keys/user-ann\n"
        "argosyctl config set-context work --no-credentials\n"
        "argosyctl config set-context work --ca-file ca.pem --cert-file ann.pem --key-file "
        "ann.key");
    app.add_option("name", name_, "Name of the context")->required()->type_name("NAME");
    flags_.add_options(app);
  }

 protected:
  result<void> act(session& s, context_list& all) override {
    if (!flags_.given() && s.flags.server.empty())
      return fail(ec::invalid_argument,
                  fmt::format("name what of context '{}' to set, such as --server URL", name_));
    auto* known = all.find(name_);
    const bool fresh = known == nullptr;
    if (fresh) {
      all.contexts.push_back({});
      known = &all.contexts.back();
      known->name = name_;
    }
    if (!s.flags.server.empty()) known->server = s.flags.server;
    if (auto applied = flags_.apply_to(*known, s); !applied) return applied;
    if (auto valid = check_context(*known); !valid) return valid;
    tell(fmt::format("context '{}' {}", escaped(name_), fresh ? "created" : "changed"));
    return {};
  }

 private:
  std::string name_;
  context_flags flags_;
};

class rename_context_command final : public context_command {
 public:
  explicit rename_context_command(CLI::App& app) {
    app.footer("argosyctl config rename-context 10.0.0.1:4222 work");
    app.add_option("old", old_, "Its name")->required()->type_name("NAME");
    app.add_option("new", new_, "Its new name")->required()->type_name("NEW-NAME");
  }

 protected:
  result<void> act(session&, context_list& all) override {
    auto* const known = all.find(old_);
    if (known == nullptr) return fail(unknown_context(all, old_));
    if (all.find(new_) != nullptr)
      return fail(ec::already_exists, fmt::format("there is a context '{}' already", new_));
    known->name = new_;
    if (auto valid = validate(*known); !valid) return valid;
    if (all.current == old_) all.current = new_;
    tell(fmt::format("context '{}' is now '{}'", escaped(old_), escaped(new_)));
    return {};
  }
  void settled(session& s) override { move_token(s.env, old_, new_); }

 private:
  std::string old_;
  std::string new_;
};

class delete_context_command final : public context_command {
 public:
  explicit delete_context_command(CLI::App& app) {
    app.footer("argosyctl config delete-context work");
    app.add_option("name", name_, "Name of the context")->required()->type_name("NAME");
  }

 protected:
  result<void> act(session& s, context_list& all) override {
    if (all.find(name_) == nullptr) return fail(unknown_context(all, name_));
    std::erase_if(all.contexts, [&](const context& one) { return one.name == name_; });
    tell(fmt::format("context '{}' deleted", escaped(name_)));
    if (all.current != name_) return {};
    all.current.clear();
    s.out.notice("it was the current one; choose another with: argosyctl config use-context NAME");
    return {};
  }
  void settled(session& s) override { forget_token(s.env, name_); }

 private:
  std::string name_;
};

class view_command final : public context_command {
 public:
  explicit view_command(CLI::App& app) {
    app.footer(
        "argosyctl config view\n"
        "argosyctl config view -o json");
  }
  std::vector<std::string> formats() const override { return {"yaml", "json"}; }
  std::string_view completes() const override { return {}; }

 protected:
  result<void> act(session& s, context_list& all) override {
    nlohmann::ordered_json out;
    out["currentContext"] = all.current;
    out["contexts"] = nlohmann::ordered_json::object();
    for (const auto& one : all.contexts) out["contexts"][one.name] = shown(one);
    const auto text = out.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
    if (s.as == format::json)
      s.out.print_line(text);
    else
      s.out.print(yaml_of(text));
    return {};
  }
};

}  // namespace

void define_contexts(CLI::App& config, command_set& commands) {
  define_part<get_contexts_command>(config, commands, "get-contexts",
                                    "List the contexts of your configuration file.");
  define_part<current_context_command>(config, commands, "current-context",
                                       "Print the name of the current context.");
  define_part<use_context_command>(config, commands, "use-context",
                                   "Make a context the current one.");
  define_part<set_context_command>(config, commands, "set-context",
                                   "Create a context, or change what is named of one.");
  define_part<rename_context_command>(config, commands, "rename-context", "Rename a context.");
  define_part<delete_context_command>(config, commands, "delete-context", "Delete a context.");
  define_part<view_command>(config, commands, "view",
                            "Print your configuration file, without its secrets.");
}

}  // namespace argosy::ctl
