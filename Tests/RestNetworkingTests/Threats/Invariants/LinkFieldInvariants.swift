// SPDX-License-Identifier: Apache-2.0

import RestNetworking

/// The invariants of link fields as servers write them.
package enum LinkFieldInvariants {
    /// Reads an input as the value of `Link` fields.
    ///
    /// - Returns: A Boolean value that indicates whether the input contains a link.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        let links = LinkField(text).links
        for link in links {
            try require(
                !link.target.utf8.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") },
                "a target ends at its bracket")
            try require(text.contains("<\(link.target)>"), "a target is written in the field")
            try require(
                link.relations.allSatisfy { !$0.isEmpty && $0 == $0.lowercased() },
                "relations are words in lower case")
            try require(
                link.parameters.allSatisfy { !$0.name.isEmpty && $0.name == $0.name.lowercased() },
                "parameters have names in lower case")
        }
        for relation in Set(links.flatMap(\.relations)) {
            let first = links.first { $0.relations.contains(relation) && $0["anchor"] == nil }
            try require(
                LinkField(text).target(of: relation.uppercased().lowercased()) == first?.target
                    || relation.uppercased().lowercased() != relation,
                "the first link with a relation is found")
        }
        let before = LinkField("<urn:first>; rel=first, " + text).links
        try require(before.first?.target == "urn:first", "a link before malformed ones is kept")
        try require(
            LinkField(written(links)).links == links, "links survive a round trip")
        return !links.isEmpty
    }

    /// Returns the field of links, with quoted values.
    private static func written(_ links: [LinkField.Link]) -> String {
        links.map { link in
            link.parameters.reduce("<\(link.target)>") { text, parameter in
                let value = parameter.value.unicodeScalars.map { scalar in
                    scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : "\(scalar)"
                }.joined()
                return "\(text); \(parameter.name)=\"\(value)\""
            }
        }.joined(separator: ", ")
    }
}
