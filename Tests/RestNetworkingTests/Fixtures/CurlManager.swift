// SPDX-License-Identifier: Apache-2.0

import RestCurl
import RestNetworking
import RestTransport

/// Returns an object manager with the libcurl transport.
func manager(
    at baseURL: String, limits: TransportLimits = .default
) throws -> ObjectManager {
    var client = try HTTPClient(baseURL: baseURL, transport: CurlTransport())
    client.limits = limits
    return ObjectManager(client: client)
}

/// Returns percent-decoded bytes, by a decoder that is independent of the library.
func bytes(ofEscaped text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%") {
            bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        } else {
            bytes.append(byte)
        }
    }
    return bytes
}
