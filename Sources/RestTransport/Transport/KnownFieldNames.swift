// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The names that most responses have, ready made: checking one and putting it into lower case costs
/// more than the rest of its line.
enum KnownFieldNames {
    private struct Entry {
        let bytes: [UInt8]
        let name: HTTPField.Name
    }

    // At the position of a length the names of that length, as HTTP/1.1 writes them and as HTTP/2
    // does.
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

    /// The name with exactly this spelling, `nil` when it is not among those here.
    static func name(_ bytes: ArraySlice<UInt8>) -> HTTPField.Name? {
        guard bytes.count < names.count else { return nil }
        return names[bytes.count].first { $0.bytes[...] == bytes }?.name
    }
}
