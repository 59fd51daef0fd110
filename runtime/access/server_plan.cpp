// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/server_plan.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <iomanip>
#include <set>
#include <span>
#include <sstream>
#include <utility>

#include "runtime/access/nkey.hpp"
#include "runtime/access/server_limits.hpp"
#include "runtime/access/server_lines.hpp"
#include "runtime/base/check.hpp"
#include "runtime/base/text.hpp"
#include "runtime/base/whole_number.hpp"

namespace argosy::access {

namespace {

using text_field = std::pair<std::string_view, std::string server_plan::*>;
constexpr std::array<text_field, 10> text_fields{{
    {"listen", &server_plan::listen},
    {"url", &server_plan::url},
    {"store_dir", &server_plan::store_dir},
    {"pid_file", &server_plan::pid_file},
    {"certificate", &server_plan::certificate},
    {"certificate_key", &server_plan::certificate_key},
    {"authority", &server_plan::authority},
    {"grpc", &server_plan::grpc},
    {"machines", &server_plan::machines},
    {"order_key", &server_plan::order_key},
}};

/// A string of the server's configuration, which has the escapes of JSON for these two.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string list_of(const std::vector<std::string>& subjects, std::string_view indent) {
  std::string out = "[\n";
  for (const auto& subject : subjects)
    out.append(indent).append("  ").append(in_quotes(subject)).append("\n");
  return out.append(indent).append("]");
}

constexpr int routes_port_distance = 2'000;
constexpr std::string_view mark_prefix = "argosy.rights.";

std::string mark_of(std::string_view kind, const std::string& text) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> hash{};
  unsigned int size = 0;
  ARGOSY_CHECK(EVP_Digest(text.data(), text.size(), hash.data(), &size, EVP_sha256(), nullptr) ==
               1);
  std::ostringstream out;
  out << mark_prefix << kind << '.' << std::hex << std::setfill('0');
  for (const auto byte : std::span{hash}.first(16)) out << std::setw(2) << int{byte};
  return out.str();
}

std::string user_entry(const member& who, const permissions& allowed) {
  std::string out = "      # " + to_string(identity_of(who));
  if (party_of(who.what) == party::user) out.append(": ").append(to_string(who.what));
  out += "\n      { nkey: " + who.public_key + "\n        permissions: {\n";
  out += "          publish: { allow: " + list_of(allowed.publish, "          ") + " }\n";
  out += "          subscribe: { allow: " + list_of(allowed.subscribe, "          ") + " }\n";
  return out + "        } }\n";
}

constexpr std::string_view written_once =
    "# The configuration of the nats-server of Argosy. `argosyd init` has written it once and\n"
    "# leaves it alone from now on. Who may join as what stands in the file that it includes.\n";
/// The lines with which older versions began.
constexpr std::array<std::string_view, 2> older_head{
    "# The configuration of the nats-server of Argosy, written by `argosyd init`. Change it",
    "# with `argosyd init DIR --add-user ...`, which writes it anew."};

/// The lines with which the file of a plan begins.
constexpr std::string_view plan_head =
    "# Who may join the nats-server of Argosy; `argosyd init` reads and writes this file. Keys\n"
    "# here are public.\n";

std::string include_line() {
  return "include " + in_quotes(accounts_file) + "\n";
}

std::string subjects_key(const identity& who) {
  return who.what == party::agent ? "agent/" + cluster_token(who.name) : to_string(who);
}

error bad_line(std::size_t number, const std::string& why) {
  return {ec::invalid_argument, "line " + std::to_string(number) + ": " + why};
}

result<member> parse_member(std::istream& words) {
  std::string who;
  std::string what;
  member out;
  words >> who >> what >> out.public_key;
  if (std::string more; words >> more)
    return fail(ec::invalid_argument, "'" + shown(more) + "' is too much behind the key");
  auto known = parse_identity(who);
  if (!known) return fail(std::move(known.error()));
  const auto parsed = parse_role(what);
  if (!parsed) return fail(parsed.error());
  if (party_of(*parsed) != known->what)
    return fail(ec::invalid_argument, who + " cannot have the role " + what);
  out.what = *parsed;
  out.name = std::move(known->name);
  return out;
}

}  // namespace

result<void> add(server_plan& plan, member who) {
  const auto wanted = identity_of(who);
  if (auto good = validate(wanted); !good) return good;
  if (!is_public_key(who.public_key))
    return fail(ec::invalid_argument,
                "'" + who.public_key + "' is no public key of an NKey user (U...)");
  for (const auto& known : plan.members)
    if (subjects_key(identity_of(known)) == subjects_key(wanted))
      return fail(ec::conflict, to_string(identity_of(known)) + " is there already");
  plan.members.push_back(std::move(who));
  return {};
}

result<void> replace_key(server_plan& plan, const identity& who, std::string key) {
  const auto found = std::ranges::find_if(
      plan.members, [&](const member& one) { return identity_of(one) == who; });
  if (found == plan.members.end()) return fail(ec::not_found, "there is no " + to_string(who));
  found->public_key = std::move(key);
  return {};
}

result<void> remove(server_plan& plan, const identity& who) {
  if (std::erase_if(plan.members, [&](const member& one) { return identity_of(one) == who; }) == 0)
    return fail(ec::not_found, "there is no " + to_string(who));
  return {};
}

bool is_mark(std::string_view subject) {
  return subject.starts_with(mark_prefix);
}

std::string mark_of_rules() {
  std::string text;
  for (const auto what : {role::control_plane, role::agent, role::viewer, role::tenant,
                          role::submitter, role::operator_, role::owner})
    text += user_entry({what, "x", {}}, permissions_of(what, "x"));
  return mark_of("rules", text);
}

std::string mark_of_members(const std::vector<member>& members) {
  std::string text;
  for (const auto& who : members) text += user_entry(who, permissions_of(who.what, who.name));
  return mark_of("members", text);
}

std::string accounts_block(const std::vector<member>& members) {
  std::string out =
      "accounts {\n  " + std::string{account_name} + " {\n    jetstream: enabled\n    users: [\n";
  for (const auto& who : members) {
    auto allowed = permissions_of(who.what, who.name);
    if (who.what == role::control_plane)
      for (const auto& mark : {mark_of_rules(), mark_of_members(members)})
        allowed.publish.push_back(mark);
    out += user_entry(who, allowed);
  }
  return out + "    ]\n  }\n}\n";
}

std::string accounts_conf(const server_plan& plan) {
  return "# Who may join the nats-server of Argosy and what he may say and hear. `argosyd init`\n"
         "# writes this file anew with each change, so that nothing is to be changed here.\n" +
         accounts_block(plan.members);
}

bool includes_accounts(std::string_view conf) {
  std::istringstream in{std::string{conf}};
  for (std::string line; std::getline(in, line);) {
    std::istringstream words{line};
    std::string first;
    words >> first;
    if (first == "include" && line.find(accounts_file) != std::string::npos) return true;
  }
  return false;
}

std::optional<std::string> conf_fault(const server_plan& plan, std::string_view conf,
                                      std::string_view accounts) {
  constexpr std::string_view answers = "allow_responses";
  constexpr std::string_view why =
      " has allow_responses, by which the key of one agent opens everything: whoever receives a "
      "message may publish to the subject that the message names for its reply";
  const bool divided = includes_accounts(conf);
  if (conf.find(answers) != std::string_view::npos) return "nats-server.conf" + std::string{why};
  if (divided && accounts.find(answers) != std::string_view::npos)
    return accounts_file + std::string{why};
  if (!divided) return "nats-server.conf was written by an older version and gives other rights";
  if (accounts != accounts_conf(plan))
    return std::string{accounts_file} + " gives other rights than the members of access.list have";
  return std::nullopt;
}

std::optional<std::string> divided_conf(std::string_view conf) {
  constexpr std::string_view begin = "accounts {\n";
  constexpr std::string_view end = "\n}\n";
  const auto from = conf.starts_with(begin) ? 0 : conf.find("\n" + std::string{begin}) + 1;
  const auto to = conf.find(end, from);
  if (!conf.substr(from).starts_with(begin) || to == std::string_view::npos) return std::nullopt;
  std::string out{written_once};
  std::istringstream in{std::string{conf.substr(0, from)} +
                        std::string{conf.substr(to + end.size())}};
  bool has_bound = false;
  for (std::string line; std::getline(in, line);) {
    if (std::ranges::find(older_head, line) != older_head.end()) continue;
    has_bound = has_bound || line.starts_with("max_connections");
    out += line + "\n";
  }
  if (!has_bound) out += connections_line();
  return out + include_line();
}

std::vector<std::string> machines_of(const server_plan& plan) {
  std::vector<std::string> out;
  std::istringstream in{plan.machines};
  for (std::string one; std::getline(in, one, ',');) out.push_back(one);
  return out;
}

std::string conf_file_of(const std::string& machine) {
  return machine.empty() ? "nats-server.conf" : "nats-server." + machine + ".conf";
}

bool on_one_machine(const server_plan& plan) {
  return plan.machines.starts_with("127.");
}

namespace {

/// The port at which the servers of a cluster reach one another, as 6222 for 4222.
std::string port_of_routes(const std::string& port) {
  return std::to_string(whole_number<std::uint16_t>(port).value_or(4222) + routes_port_distance);
}

/// The host and the port of HOST:PORT; without a colon all of it is the host.
std::pair<std::string, std::string> parts_of(const std::string& address) {
  const auto colon = std::min(address.rfind(':'), address.size());
  return {address.substr(0, colon), address.substr(std::min(colon + 1, address.size()))};
}

std::string cluster_block(const server_plan& plan, const std::string& host,
                          const std::string& port) {
  std::string out = "cluster {\n  name: argosy\n  listen: " + in_quotes(host + ":" + port) +
                    "\n  no_advertise: true  # Clients know all servers by their settings.\n"
                    "  routes: [\n";
  for (const auto& each : machines_of(plan))
    out += "    " + in_quotes("nats-route://" + each + ":" + port) + "\n";
  out += "  ]\n";
  if (!plan.certificate.empty())
    out +=
        "  # Whoever has a certificate of this authority may join the servers.\n  tls { "
        "cert_file: " +
        in_quotes(plan.certificate) + ", key_file: " + in_quotes(plan.certificate_key) +
        ", ca_file: " + in_quotes(plan.authority) + ", verify: true }\n";
  return out + "}\n";
}

}  // namespace

std::string server_conf(const server_plan& plan, const std::string& machine) {
  std::string out{written_once};
  auto [host, port] = parts_of(plan.listen);
  if (on_one_machine(plan)) host = machine;
  if (!machine.empty()) out += "server_name: " + in_quotes(machine) + "\n";
  out += "listen: " + in_quotes(machine.empty() ? plan.listen : host + ":" + port) + "\n";
  if (!plan.pid_file.empty()) out += "pid_file: " + in_quotes(plan.pid_file) + "\n";
  out += "max_payload: " + std::to_string(plan.max_payload) + "\n";
  out += limit_lines();
  if (machine.empty())
    out += store_line(in_quotes(plan.store_dir));
  else
    out += store_line_of_copies(in_quotes(plan.store_dir + "/" + machine)) +
           cluster_block(plan, host, port_of_routes(port));
  if (!plan.certificate.empty())
    out += "tls { cert_file: " + in_quotes(plan.certificate) +
           ", key_file: " + in_quotes(plan.certificate_key) + " }\n";
  return out + include_line();
}

std::string print_plan(const server_plan& plan) {
  std::string out{plan_head};
  auto comments = plan.comments;
  const auto add = [&](const std::string& key, const std::string& value) {
    out.append(comments[key]).append(key).append(" ").append(value).append("\n");
    comments.erase(key);
  };
  for (const auto& [key, value] : text_fields)
    if (!(plan.*value).empty()) add(std::string{key}, plan.*value);
  add("max_payload", std::to_string(plan.max_payload));
  for (const auto& who : plan.members)
    add("member " + to_string(identity_of(who)),
        std::string{to_string(who.what)} + " " + who.public_key);
  for (const auto& [before, text] : comments) out += text;
  return out;
}

namespace {

/// Reads what stands behind a key.
result<void> read_entry(server_plan& plan, const std::string& key, const std::string& value) {
  const auto field = std::ranges::find(text_fields, key, &text_field::first);
  const bool is_size = key == "max_payload";
  if (field == text_fields.end() && !is_size && key != "member")
    return fail(ec::invalid_argument, "'" + shown(key) + "' is not known");
  if (value.empty()) return fail(ec::invalid_argument, "'" + key + "' has no value");
  if (field != text_fields.end()) {
    plan.*(field->second) = value;
    return {};
  }
  if (is_size) {
    const auto size = whole_number<std::uint64_t>(value);
    if (!size) return fail(ec::invalid_argument, "max_payload needs a number of bytes");
    plan.max_payload = *size;
    return {};
  }
  std::istringstream words{value};
  auto who = parse_member(words);
  return who ? add(plan, std::move(*who)) : fail(std::move(who.error()));
}

/// Fails if the plan lacks what each plan has, as that of a file does which lost its end, or all.
result<void> check_whole(const server_plan& plan) {
  const auto lacks = [](std::string_view line) {
    return fail(ec::invalid_argument, "there is no line '" + std::string{line} +
                                          " ...', so that a part of the file is missing");
  };
  for (const auto& [key, value] : text_fields)
    if ((key == "listen" || key == "url" || key == "store_dir") && (plan.*value).empty())
      return lacks(key);
  if (std::ranges::find(plan.members, role::control_plane, &member::what) == plan.members.end())
    return lacks("member " + to_string(identity{party::control_plane, {}}));
  return {};
}

}  // namespace

result<server_plan> parse_plan(std::string_view text) {
  server_plan plan;
  plan.listen.clear();
  const bool whole = text.starts_with(plan_head);
  std::istringstream in{std::string{whole ? text.substr(plan_head.size()) : text}};
  std::size_t number = whole ? 2 : 0;
  std::string comment;
  std::set<std::string> seen;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.front() == '#') {
      comment += line + "\n";
      continue;
    }
    if (std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
      return fail(bad_line(number, "it has a control character; lines end with LF alone"));
    const auto space = line.find(' ');
    const auto key = line.substr(0, space);
    const auto named = key == "member" ? line.substr(0, line.find(' ', space + 1)) : key;
    if (!seen.insert(named).second)
      return fail(bad_line(number, "'" + shown(named) + "' stands there twice"));
    if (!comment.empty()) plan.comments[named] += std::exchange(comment, {});
    const auto value = space == std::string::npos ? std::string{} : line.substr(space + 1);
    if (auto read = read_entry(plan, key, value); !read)
      return fail(bad_line(number, read.error().detail));
  }
  if (!comment.empty()) plan.comments["~"] = comment;
  if (auto all = check_whole(plan); !all) return fail(std::move(all.error()));
  return plan;
}

}  // namespace argosy::access
