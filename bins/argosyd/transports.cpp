// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/transports.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "bins/argosyd/init/nats_rights.hpp"
#include "bins/shared/kept_port.hpp"
#include "bins/web/page.hpp"
#include "messages/codec/api/method_list.hpp"
#include "messages/codec/api/reflection.hpp"
#include "messages/codec/armada/executor_codec.hpp"
#include "messages/codec/rest/lookout_calls.hpp"
#include "messages/codec/rest/rest_calls.hpp"
#include "runtime/access/action.hpp"
#include "runtime/access/basic_users.hpp"
#include "runtime/access/identity.hpp"
#include "runtime/access/tokens/curl/curl_fetch.hpp"
#include "runtime/access/tokens/oidc_users.hpp"
#include "runtime/access/tokens/token_reviews.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/rest/pages.hpp"

namespace argosy::argosyd {

namespace {

rpc::method_map methods() {
  rpc::method_map out;
  for (const auto& method : codec::api_methods())
    out[method.path] = {method.name, access::api_subject({}, method.name), method.streams};
  for (auto& [path, method] : out)
    if (access::action_of(method.name) == access::action::execute)
      method.request_bytes_max = codec::executor_request_bytes_max;
  out["/api.Submit/SubmitJobs"].absence = "could not find queue";
  return out;
}

/// Says what a request to one of Lookout's routes asks for.
rest::plan read_lookout(const rpc::method_map& methods, codec::unknown_fields unknown,
                        const rest::request& from) {
  auto match = codec::match_lookout(from.verb, from.path, unknown);
  rest::plan out;
  if (match.other_verb) out.what = rest::plan::kind::other_verb;
  if (!match.call) return out;
  out.what = rest::plan::kind::call;
  out.method = &methods.at(match.call->method);
  out.bytes = [request = std::move(match.call->request)](const rest::request& asked) {
    return request(asked.body);
  };
  out.write = std::move(match.call->answer);
  return out;
}

/// With whom an answer may be shared: with whoever may ask that is made from the log alone.
rest::sharing sharing_of(std::string_view method, std::string_view body) {
  if (method == "argosy.v1.Query.ListJobSets") return rest::sharing::same_caller;
  if (method != "argosy.v1.Query.FindJobs" && method != "argosy.v1.Query.GroupJobs")
    return rest::sharing::none;
  // In a search "me" is whoever asks; quotation marks and escapes could hide it.
  const bool of_caller = body.find("me") != body.npos || body.find('\\') != body.npos;
  return of_caller ? rest::sharing::same_caller : rest::sharing::same_rights;
}

/// Says what a request over REST asks for.
rest::plan read(const rpc::method_map& methods, codec::unknown_fields unknown,
                const rest::request& from) {
  if (from.path.starts_with("/api/")) return read_lookout(methods, unknown, from);
  auto match = codec::match_route(from.verb, from.path);
  rest::plan out;
  if (match.other_verb) out.what = rest::plan::kind::other_verb;
  if (match.route == nullptr) return out;
  const auto& route = *match.route;
  out.what = rest::plan::kind::call;
  out.method = &methods.at(codec::grpc_path(route));
  out.shares = sharing_of(route.method, from.body);
  out.bytes = [match = std::move(match), unknown](const rest::request& asked) {
    return codec::rest_request(match, asked.body, asked.query, unknown);
  };
  out.write = [&route](std::string_view bytes) { return codec::rest_answer(route, bytes); };
  return out;
}

/// Finds who the caller is by the header `authorization`, and how he is to show it. A token that
/// nobody has checked names nobody. Returns nothing if the header has no form that is known.
std::optional<access::principal> claimed_by(const std::string& authorization) {
  access::principal out;
  out.name = "unknown";
  if (access::is_basic(authorization)) {
    if (auto shown = access::parse_basic(authorization)) out.name = std::move(shown->name);
    out.by = access::scheme::basic;
  } else if (access::is_kubernetes(authorization)) {
    out.by = access::scheme::kubernetes;
  } else if (access::bearer_token(authorization)) {
    out.by = access::scheme::oidc;
  } else {
    return std::nullopt;
  }
  return out;
}

/// Finds out who calls, and has the GATEWAY record who was not believed.
rpc::admit_function recorded(const callers& known, const std::shared_ptr<bus::connection>& api,
                             const std::string& via) {
  return [known, api, via](const rpc::caller& who, std::function<void(rpc::admission)> then) {
    auto claimed = claimed_by(who.authorization);
    if (!claimed) {
      known(who, std::move(then));
      return;
    }
    known(who, [api, via, peer = who.peer, claimed = std::move(*claimed),
                then = std::move(then)](rpc::admission outcome) {
      if (outcome.what == rpc::admission::kind::unknown) {
        auto with = bus::caller_headers(claimed);
        bus::set_way(with, via, peer);
        // Whoever is refused is refused, also when that cannot be recorded.
        static_cast<void>(
            api->publish(access::api_subject({}, bus::refused_caller_method), outcome.text, with));
      }
      then(std::move(outcome));
    });
  };
}

/// How readers of the web page may say who they are.
rest::page_login login_of(const settings::access_settings& from) {
  const auto has_password = [](const auto& user) { return !user.password_hash.empty(); };
  return {from.oidc.issuer, from.oidc.client_id, std::ranges::any_of(from.users, has_password)};
}

}  // namespace

transports::transports()
    : broker_({.max_payload = std::size_t{64} << 20, .manual_time = false}),
      caller_side_(broker_.connect()) {}

transports::~transports() {
  stop();
  caller_side_->close();
}

std::shared_ptr<bus::connection> transports::api_side() const {
  return grpc_ || rest_ ? broker_.connect() : nullptr;
}

const callers& transports::known_callers(const options& chosen) {
  const auto& settings = chosen.settings.value;
  if (!callers_)
    callers_.emplace(settings.grpc, settings.access, chosen.dev, access::curl_fetch,
                     members_file(settings.nats));
  return *callers_;
}

access::proof_check transports::token_check(const options& chosen) {
  if (chosen.settings.value.access.oidc.issuer.empty()) return {};
  return known_callers(chosen).token_check();
}

std::shared_ptr<health::pages> transports::rest(
    const options& chosen, std::function<std::optional<std::uint64_t>()> position,
    rest::changes_behind changed) {
  const auto& settings = chosen.settings.value;
  rest_ = settings.rest.enabled && settings.health.listen != "off";
  if (!rest_) return nullptr;
  rest::config config;
  config.api = caller_side_;
  const auto unknown = settings.rest.ignore_unknown_fields ? codec::unknown_fields::passed
                                                           : codec::unknown_fields::refused;
  config.read = [known = methods(), unknown](const rest::request& from) {
    return read(known, unknown, from);
  };
  config.description = codec::swagger_json;
  config.admit = recorded(known_callers(chosen), caller_side_, "rest");
  config.files = web::page();
  config.login = login_of(settings.access);
  config.position = std::move(position);
  config.changed = std::move(changed);
  config.started = std::to_string(to_nanos(system_clock_source().wall()));
  config.origins = settings.rest.origins;
  config.local_names_only = chosen.dev;
  config.answer_within = settings.nats.request_timeout;
  return rest::make_pages(std::move(config));
}

result<void> transports::start(const options& chosen, const std::filesystem::path& folder,
                               std::shared_ptr<const health::host_names> names) {
  const auto& settings = chosen.settings.value;
  if (settings.grpc.listen == "off") return {};
  rpc::server_config config;
  config.api = caller_side_;
  config.methods = methods();
  config.reflect = codec::answer_reflection;
  config.is_named = [names = std::move(names)](std::string_view name) { return names->has(name); };
  config.certificate = settings.grpc.certificate;
  config.key = settings.grpc.key;
  config.streams_max = settings.grpc.streams_max;
  config.admit = recorded(known_callers(chosen), caller_side_, "grpc");
  config.answer_within = settings.nats.request_timeout;
  auto started = start_on_kept_port(settings.grpc.listen, folder / "grpc.port", "gRPC",
                                    [&](const std::string& listen) -> result<std::uint16_t> {
                                      config.listen = listen;
                                      auto tried = rpc::server::start(config);
                                      if (!tried) return fail(std::move(tried.error()));
                                      grpc_ = std::move(*tried);
                                      return grpc_->port();
                                    });
  if (started) return {};
  auto why = started.error();
  if (why.code == ec::already_exists)
    why.detail +=
        "; set grpc.listen to another address, to port 0 for any that is free, or to 'off'";
  return fail(std::move(why));
}

bool transports::has_page() const {
  return rest_ && !web::page().empty();
}

void transports::stop() {
  grpc_.reset();
}

std::string transports::grpc_url() const {
  return grpc_ ? grpc_->url() : "";
}

}  // namespace argosy::argosyd
