// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/credentials/exec_credential.hpp"

#include <nlohmann/json.hpp>

#include "runtime/base/whole_number.hpp"
#include "runtime/kube/credentials/base64.hpp"
#include "runtime/kube/json_field.hpp"

namespace argosy::kube {

namespace {

using nlohmann::json;

failure bad(const std::string& why) {
  return fail(ec::denied, "the credential plugin printed " + why);
}

/// The number in `size` digits at a place; nothing if there are other characters.
std::optional<unsigned> digits(std::string_view text, std::size_t at, std::size_t size) {
  if (at + size > text.size()) return std::nullopt;
  return whole_number<unsigned>(text.substr(at, size));
}

/// The offset "Z" or "+01:30" that the whole text is.
std::optional<std::chrono::minutes> read_offset(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes{0};
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hours = digits(text, 1, 2);
  const auto minutes = digits(text, 4, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const auto total = std::chrono::minutes{*hours * 60 + *minutes};
  return text[0] == '-' ? -total : total;
}

}  // namespace

bool is_exec_version(std::string_view api_version) {
  return api_version == "client.authentication.k8s.io/v1" ||
         api_version == "client.authentication.k8s.io/v1beta1";
}

std::string exec_question(const cluster_access& access, std::string_view authorities) {
  json spec{{"interactive", false}};
  if (access.plugin.wants_cluster) {
    json cluster{{"server", access.server}};
    if (!access.tls_name.empty()) cluster["tls-server-name"] = access.tls_name;
    if (!access.verified) cluster["insecure-skip-tls-verify"] = true;
    if (!access.proxy.empty()) cluster["proxy-url"] = access.proxy;
    if (!authorities.empty()) cluster["certificate-authority-data"] = encode_base64(authorities);
    spec["cluster"] = std::move(cluster);
  }
  const json question{{"apiVersion", access.plugin.api_version},
                      {"kind", "ExecCredential"},
                      {"spec", std::move(spec)}};
  return question.dump(-1, ' ', false, json::error_handler_t::replace);
}

result<exec_credential> read_exec_credential(std::string_view text, std::string_view api_version) {
  const auto object = json::parse(text, nullptr, false);
  if (!object.is_object() || text_field(object, "kind") != "ExecCredential")
    return bad("no JSON object of kind ExecCredential");
  if (text_field(object, "apiVersion") != api_version)
    return bad("an ExecCredential of another apiVersion than " + std::string{api_version});
  const auto* const status = object_field(object, "status");
  if (status == nullptr) return bad("an ExecCredential without status");
  exec_credential out{.token = text_field(*status, "token"),
                      .certificate = text_field(*status, "clientCertificateData"),
                      .key = text_field(*status, "clientKeyData")};
  if (out.token.empty() && out.certificate.empty())
    return bad("neither a token nor a client certificate in the status");
  if (out.certificate.empty() != out.key.empty())
    return bad("only one of clientCertificateData and clientKeyData in the status");
  if (out.token.find_first_of("\r\n") != std::string::npos)
    return bad("a token of more than one line");
  if (const auto until = text_field(*status, "expirationTimestamp"); !until.empty()) {
    out.expires = read_rfc3339(until);
    if (!out.expires) return bad("an expirationTimestamp that is no time of RFC 3339");
  }
  return out;
}

std::optional<wall_time> read_rfc3339(std::string_view text) {
  using namespace std::chrono;
  const auto y = digits(text, 0, 4);
  const auto mo = digits(text, 5, 2);
  const auto d = digits(text, 8, 2);
  const auto h = digits(text, 11, 2);
  const auto mi = digits(text, 14, 2);
  const auto s = digits(text, 17, 2);
  if (!y || !mo || !d || !h || !mi || !s || text[4] != '-' || text[7] != '-' ||
      (text[10] != 'T' && text[10] != 't' && text[10] != ' ') || text[13] != ':' || text[16] != ':')
    return std::nullopt;
  const year_month_day day{year{static_cast<int>(*y)}, month{*mo}, std::chrono::day{*d}};
  // Beyond these years nanoseconds do not fit into 64 bits.
  if (!day.ok() || *y < 1700 || *y > 2200 || *h > 23 || *mi > 59 || *s > 60) return std::nullopt;
  auto rest = text.substr(19);
  nanoseconds fraction{0};
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const auto end = rest.find_first_not_of("0123456789");
    auto digits_of = std::string{rest.substr(0, end)};
    if (digits_of.empty() || end == std::string_view::npos) return std::nullopt;
    digits_of.resize(9, '0');
    fraction = nanoseconds{*whole_number<std::int64_t>(digits_of)};
    rest.remove_prefix(end);
  }
  const auto offset = read_offset(rest);
  if (!offset) return std::nullopt;
  return wall_time{sys_days{day}} + hours{*h} + minutes{*mi} + seconds{*s} + fraction - *offset;
}

}  // namespace argosy::kube
