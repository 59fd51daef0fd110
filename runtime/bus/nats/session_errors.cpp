// SPDX-License-Identifier: Apache-2.0
// This file turns failures of the NATS library into errors of the product.
#include "runtime/bus/nats/session.hpp"

namespace argosy::bus {

namespace {

ec code_of(natsStatus code) {
  switch (code) {
    case NATS_TIMEOUT:
      return ec::timeout;
    case NATS_NO_RESPONDERS:
      return ec::no_responders;
    case NATS_NOT_PERMITTED:
    case NATS_CONNECTION_AUTH_FAILED:
    case NATS_SSL_ERROR:
    case NATS_SECURE_CONNECTION_WANTED:
    case NATS_SECURE_CONNECTION_REQUIRED:
      return ec::denied;
    case NATS_MAX_PAYLOAD:
      return ec::too_large;
    case NATS_NO_SERVER:
    case NATS_IO_ERROR:
    case NATS_CONNECTION_DISCONNECTED:
    case NATS_STALE_CONNECTION:
    case NATS_INSUFFICIENT_BUFFER:
    case NATS_NOT_YET_CONNECTED:
    case NATS_PROTOCOL_ERROR:
      return ec::unreachable;
    case NATS_CONNECTION_CLOSED:
    case NATS_DRAINING:
      return ec::cancelled;
    case NATS_ADDRESS_MISSING:
    case NATS_INVALID_ARG:
    case NATS_INVALID_SUBJECT:
      return ec::invalid_argument;
    default:
      return ec::internal;
  }
}

}  // namespace

std::string library_words() {
  natsStatus ignored = NATS_OK;
  const char* text = nats_GetLastError(&ignored);
  const std::string said = text == nullptr ? "" : text;
  // The text may begin with a place in the library's source, such as "(conn.c:733): ".
  const auto place_end = said.starts_with('(') ? said.find("): ") : std::string::npos;
  return place_end == std::string::npos ? said : said.substr(place_end + 3);
}

error explain_status(natsStatus code, const std::string& what, const std::string& server) {
  std::string reason = natsStatus_GetText(code);
  if (code == NATS_NO_SERVER) reason = "no nats-server answers there; is it running?";
  if (code == NATS_CONNECTION_AUTH_FAILED)
    reason =
        "the server refused the token or user; a server that argosyd init set up asks for "
        "credentials (argosyctl help credentials)";
  if (code == NATS_SECURE_CONNECTION_WANTED)
    reason = "the server does not encrypt (TLS); use nats:// and no caFile, or set up its TLS";
  if (code == NATS_SECURE_CONNECTION_REQUIRED)
    reason = "the server takes encrypted connections only; use tls://";
  if (code == NATS_SSL_ERROR)
    reason = "no trust between both ends (TLS): " + library_words() +
             "; is the nats.caFile (for argosyctl: the context's caFile, or the file in "
             "SSL_CERT_FILE) the one that signed the server's certificate, and does that name the "
             "host of the URL? And " +
             certificate_hint;
  return {code_of(code), what + " at " + server + ": " + reason};
}

}  // namespace argosy::bus
