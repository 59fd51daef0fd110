// SPDX-License-Identifier: Apache-2.0
// The files of the web page, which the HTTP endpoint serves from memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace httplib {
class Server;
}

namespace argosy::rest {

/// A file. Its texts have to outlive the server.
struct page_file {
  std::string_view path;  ///< "/" or "/assets/page-1A2B3C.js".
  std::string_view type;  ///< The media type, as "text/css; charset=utf-8".
  std::string_view content;
  /// Whether the path has a hash of the content in it, so that browsers may keep the file for ever.
  bool lasting = false;
};

/// Where readers of the page log in. Nothing of it is a secret.
struct page_login {
  std::string issuer;      ///< The URL of an OpenID provider; empty: there is none.
  std::string client_id;   ///< The name by which the provider knows the page.
  bool passwords = false;  ///< Whether there are users who log in by name and password.
};

/// Serves the files, with headers that let their page load and call this endpoint alone, and the
/// provider where its readers log in. /login.json tells anybody which one that is.
void add_page_files(httplib::Server& server, const std::vector<page_file>& files,
                    const page_login& login);

}  // namespace argosy::rest
