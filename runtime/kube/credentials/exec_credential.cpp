// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/credentials/exec_credential.hpp"

#include <nlohmann/json.hpp>

#include "runtime/kube/credentials/base64.hpp"
#include "runtime/kube/json_field.hpp"
#include "runtime/kube/rfc3339.hpp"

namespace argosy::kube {

namespace {

using nlohmann::json;

failure bad(const std::string& why) {
  return fail(ec::denied, "the credential plugin printed " + why);
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

}  // namespace argosy::kube
