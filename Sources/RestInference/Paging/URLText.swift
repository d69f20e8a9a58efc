// SPDX-License-Identifier: Apache-2.0

import RestDefinition

/// The parts of a URL as text.
struct URLText: Sendable, Hashable {
    /// The scheme and the host, such as `https://api.example.com`; empty for a relative URL.
    let origin: String
    /// The components of the path that are not empty.
    let components: [String]
    /// A Boolean value that indicates whether the path ends with a slash.
    let endsWithSlash: Bool
    /// The parameters of the query, decoded.
    let parameters: [Parameter]

    struct Parameter: Sendable, Hashable {
        let name: String
        let value: String
    }

    init(_ text: String) {
        var rest = text.prefix { $0 != "#" }
        if let separator = rest.firstRange(of: "://") {
            let path =
                rest[separator.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            // User and password are no part of an origin.
            let authority = rest[separator.upperBound..<path]
            let host =
                authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
                ?? authority
            origin = String(rest[..<separator.lowerBound]) + "://" + host
            rest = rest[path...]
        } else {
            origin = ""
        }
        let path = rest.prefix { $0 != "?" }
        components = path.split(separator: "/").map(String.init)
        endsWithSlash = path.last == "/" && !components.isEmpty
        parameters = rest.dropFirst(path.count + 1).split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Parameter(
                name: Self.decoded(parts[0]), value: parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    private init(
        origin: String, components: [String], endsWithSlash: Bool, parameters: [Parameter]
    ) {
        self.origin = origin
        self.components = components
        self.endsWithSlash = endsWithSlash
        self.parameters = parameters
    }

    /// Creates the parameters that the body of a request has as its members.
    init(parameters: [Parameter]) {
        self.init(origin: "", components: [], endsWithSlash: false, parameters: parameters)
    }

    /// The URL without parameters whose values are secrets.
    var withoutSecrets: URLText {
        URLText(
            origin: origin, components: components, endsWithSlash: endsWithSlash,
            parameters: parameters.filter {
                !SecretNames.isSecret(parameter: $0.name, inTraffic: true)
            })
    }

    /// Returns the URL that a reference in a response to this one denotes.
    ///
    /// - Source: RFC 3986 section 5.2.
    func resolving(_ reference: String) -> URLText {
        let link = URLText(reference)
        if !link.origin.isEmpty { return link }
        var path = link.components
        var endsWithSlash = link.endsWithSlash
        if reference.first == "?" || reference.isEmpty {
            path = components
            endsWithSlash = self.endsWithSlash
        } else if reference.first != "/" {
            path = (self.endsWithSlash ? components : components.dropLast()) + path
        }
        var resolved: [String] = []
        for component in path where component != "." {
            if component == ".." { _ = resolved.popLast() } else { resolved.append(component) }
        }
        return URLText(
            origin: origin, components: resolved, endsWithSlash: endsWithSlash,
            parameters: link.parameters)
    }

    /// Returns the value of a parameter.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        let source = Array(text.utf8)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
                let byte = UInt8(
                    String(decoding: source[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(source[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : source[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
