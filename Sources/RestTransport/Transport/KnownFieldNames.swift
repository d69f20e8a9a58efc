// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// A table of common field names.
///
/// Creating a name, which validates and lowercases it, costs more than parsing the rest of its
/// line.
enum KnownFieldNames {
    private struct Entry {
        let bytes: [UInt8]
        let name: HTTPField.Name
    }

    // Indexed by length, each name in the usual spellings of HTTP/1.1 and HTTP/2.
    private static let names: [[Entry]] = {
        var names = [[Entry]](repeating: [], count: 33)
        for text in [
            "Accept-Ranges", "Access-Control-Allow-Origin", "Age", "Alt-Svc", "Cache-Control",
            "Connection", "Content-Encoding", "Content-Language", "Content-Length",
            "Content-Location", "Content-Range", "Content-Security-Policy", "Content-Type", "Date",
            "ETag", "Expires", "Keep-Alive", "Last-Modified", "Link", "Location", "Pragma",
            "Retry-After", "Server", "Set-Cookie", "Strict-Transport-Security",
            "Transfer-Encoding", "Vary", "Via", "X-Content-Type-Options", "X-Frame-Options",
            "X-Powered-By", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
            "X-Request-Id",
        ] {
            for spelling in [text, text.lowercased()] {
                let entry = Entry(bytes: Array(spelling.utf8), name: .fixed(spelling))
                names[entry.bytes.count].append(entry)
            }
        }
        return names
    }()

    /// Returns the name with exactly this spelling; `nil` if it is not in the table.
    static func name(_ bytes: ArraySlice<UInt8>) -> HTTPField.Name? {
        guard bytes.count < names.count else { return nil }
        return names[bytes.count].first { $0.bytes[...] == bytes }?.name
    }
}
