// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/replies.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/rpc/status.hpp"

namespace argosy::rest {

namespace {

using json = nlohmann::ordered_json;

int http_status(status_code code) {
  using enum status_code;
  switch (code) {
    case ok:
      return 200;
    case invalid_argument:
    case failed_precondition:
    case out_of_range:
      return 400;
    case unauthenticated:
      return 401;
    case permission_denied:
      return 403;
    case not_found:
      return 404;
    case cancelled:
      return 408;
    case already_exists:
    case aborted:
      return 409;
    case resource_exhausted:
      return 429;
    case unimplemented:
      return 501;
    case unavailable:
      return 503;
    case deadline_exceeded:
      return 504;
    default:
      return 500;
  }
}

const char* status_text(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 429:
      return "Too Many Requests";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Internal Server Error";
  }
}

std::string dump(const json& from) {
  return from.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

reply to_reply(const error& why) {
  const auto status = rpc::to_status(why);
  return {status.code, http_status(status.code), status.message};
}

reply to_reply(const rpc::method& method, const error& why) {
  if (why.code != ec::not_found || method.absence.empty()) return to_reply(why);
  return to_reply({ec::denied, method.absence + ": " + why.detail});
}

reply unauthenticated(std::string why) {
  return {status_code::unauthenticated, 401, std::move(why)};
}

reply packed_body() {
  return {status_code::invalid_argument, 415, "send the body as JSON and without Content-Encoding"};
}

reply cut_body() {
  return {status_code::invalid_argument, 400, "the body did not arrive whole"};
}

reply longer_body(std::size_t most) {
  return {status_code::resource_exhausted, 413,
          "the body has more than " + std::to_string(most) + " bytes"};
}

std::string error_body(const reply& from) {
  return dump(
      {{"error", from.message}, {"code", static_cast<int>(from.code)}, {"message", from.message}});
}

std::string late_error(const reply& from) {
  return dump({{"error",
                {{"grpc_code", static_cast<int>(from.code)},
                 {"http_code", from.http_status},
                 {"message", from.message},
                 {"http_status", status_text(from.http_status)}}}});
}

bool is_local_name(std::string_view host) {
  if (host.rfind("[::1]", 0) == 0) host = "localhost";
  host = host.substr(0, host.find(':'));
  return host == "localhost" || host == "127.0.0.1";
}

bool is_own_page(std::string_view origin, std::string_view host, bool shows_proof) {
  const auto name = origin.find("://");
  if (name == std::string_view::npos || host.empty() || origin.substr(name + 3) != host)
    return false;
  const auto scheme = origin.substr(0, name);
  if (scheme != "http" && scheme != "https") return false;
  const auto without_port = host.substr(0, host.rfind(':'));
  const bool is_address = host.front() == '[' ||
                          without_port.find_first_not_of("0123456789.") == std::string_view::npos;
  return shows_proof || is_address || is_local_name(host);
}

std::string login_body(const page_login& from) {
  json out = json::object();
  if (!from.issuer.empty() && !from.client_id.empty()) {
    out["issuer"] = from.issuer;
    out["clientId"] = from.client_id;
  }
  if (from.passwords) out["passwords"] = true;
  return dump(out);
}

std::string origin_of(std::string_view url) {
  const auto name = url.find("://");
  if (name == std::string_view::npos) return {};
  const auto scheme = url.substr(0, name);
  if (scheme != "http" && scheme != "https") return {};
  const auto host = url.substr(name + 3, url.find_first_of("/?#", name + 3) - (name + 3));
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]";
  if (host.empty() || host.find_first_not_of(allowed) != std::string_view::npos) return {};
  return std::string{scheme} + "://" + std::string{host};
}

}  // namespace argosy::rest
