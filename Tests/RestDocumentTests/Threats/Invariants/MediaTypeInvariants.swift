// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The invariants of content types as servers write them.
package enum MediaTypeInvariants {
    /// Reads an input as the value of `Content-Type` fields.
    ///
    /// - Returns: A Boolean value that indicates whether the input contains a media type.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let parsed = MediaType(parsing: text)
        guard let type = MediaType(received: text) else {
            try require(
                parsed == nil || parsed?.type == "*", "what is well-formed is received as well")
            return false
        }
        if let parsed { try require(type == parsed, "what is well-formed is received as parsed") }
        try require(type.type != "*", "a range is no type")
        for part in [type.type, type.subtype] + type.parameters.keys {
            try require(!part.isEmpty && part.utf8.allSatisfy(isTokenByte), "names are tokens")
        }
        let written = type.description
        try require(MediaType(parsing: written) == type, "the type survives a round trip")
        try require(MediaType(received: written) == type, "the type survives being received again")
        try require(
            MediaType(received: "\(written), \(written)") == type, "a repeated field is one type")
        try require(
            MediaType(received: "a/b;c=d, \(written)")?.subtype == type.subtype,
            "the last type of a list counts")
        try require(type.matches(type) && type.matches(.any), "a type matches itself")
        return true
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
