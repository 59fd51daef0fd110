// SPDX-License-Identifier: Apache-2.0
// The files of the web page, which the HTTP endpoint serves from memory.
#pragma once

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

/// Serves the files, with headers that let their page load and call this endpoint alone.
void add_page_files(httplib::Server& server, const std::vector<page_file>& files);

}  // namespace argosy::rest
