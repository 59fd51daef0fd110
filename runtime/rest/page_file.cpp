// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/page_file.hpp"

#include <httplib.h>

#include <string>

#include "runtime/rest/replies.hpp"

namespace argosy::rest {

namespace {

/// Scripts, styles and calls are those of this endpoint, but for calls to the provider where
/// readers log in; nothing is executed that stands in the page itself, and no other page may show
/// this one in a frame.
std::string security_policy(const page_login& login) {
  const auto provider = login.client_id.empty() ? "" : origin_of(login.issuer);
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
         "connect-src 'self'" +
         (provider.empty() ? "" : " " + provider) +
         "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
         "require-trusted-types-for 'script'; trusted-types 'none'";
}

void answer(const page_file& file, const std::string& policy, httplib::Response& to) {
  to.set_header("Content-Security-Policy", policy);
  to.set_header("X-Content-Type-Options", "nosniff");
  to.set_header("Referrer-Policy", "no-referrer");
  to.set_header("Cross-Origin-Opener-Policy", "same-origin");
  to.set_header("Cross-Origin-Resource-Policy", "same-origin");
  to.set_header("Cache-Control", file.lasting ? "public, max-age=31536000, immutable" : "no-cache");
  to.set_content(file.content.data(), file.content.size(), std::string{file.type});
}

/// The path as a regular expression, in which a dot is a dot.
std::string pattern_of(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '.') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void add_page_files(httplib::Server& server, const std::vector<page_file>& files,
                    const page_login& login) {
  if (files.empty())
    server.Get("/", [](const auto&, auto& to) {
      to.status = 404;
      to.set_content("this argosyd was built without its web page, for want of npm\n",
                     "text/plain; charset=utf-8");
    });
  const auto policy = security_policy(login);
  for (const auto& file : files)
    server.Get(pattern_of(file.path),
               [file, policy](const auto&, auto& to) { answer(file, policy, to); });
  server.Get("/login\\.json", [body = login_body(login)](const auto&, auto& to) {
    to.set_header("Cache-Control", "no-cache");
    to.set_content(body, "application/json");
  });
}

}  // namespace argosy::rest
