// SPDX-License-Identifier: Apache-2.0

import RestDefinition

/// An example of a response that a schema allows, in which lists have an element and values about pages are
/// plausible.
struct OpenAPIExample {
    /// The maximum depth of objects, which is that of places about pages and of members with an identity.
    private static let maximumDepth = 6

    let resolver: OpenAPIResolver
    /// A Boolean value that indicates whether requests have a parameter for a cursor.
    let hasCursorParameter: Bool

    /// The cursor of every example, so that the parameter for it is recognized.
    static let cursor = "cursor-of-the-next-page"

    func value(_ source: SourceValue, key: String = "", depth: Int = 0) -> SourceValue {
        let schema = resolver.schema(source)
        if schema.isArray {
            guard let items = schema.items, depth < Self.maximumDepth else {
                return SourceValue(.sequence([]))
            }
            return SourceValue(.sequence([value(items, depth: depth + 1)]))
        }
        if schema.types == ["object"] {
            guard depth < Self.maximumDepth else { return SourceValue(.mapping([])) }
            return SourceValue(
                .mapping(
                    schema.properties.map { property in
                        .init(
                            property.name,
                            value(property.schema, key: property.name, depth: depth + 1))
                    }))
        }
        return SourceValue(.scalar(scalar(schema, key)))
    }

    private func scalar(_ schema: OpenAPISchema, _ key: String) -> ScalarValue {
        if schema.types == ["boolean"] { return .boolean(true) }
        if schema.types == ["integer"] || schema.types == ["number"] {
            let isNumber = ["page", "current_page", "page_number"].contains(
                Words.words(of: key).joined(separator: "_"))
            return .number(isNumber ? "1" : "1000")
        }
        guard schema.types == ["string"] else { return .null }
        if schema.format == "uri" || schema.format == "url" {
            return .text("https://api.example.com/next")
        }
        let words = Words.words(of: key)
        let isNext =
            words.first == "next" || words.last == "next" || words == ["odata", "next", "link"]
        let isLink =
            words.contains("url") || words.contains("link") || words.contains("href")
            || words == ["next"]
        if isNext, isLink, !hasCursorParameter { return .text("https://api.example.com/next") }
        return .text(Self.cursor)
    }
}
