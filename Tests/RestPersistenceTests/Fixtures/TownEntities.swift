// SPDX-License-Identifier: Apache-2.0

import RestPersistence

/// Entities without classes that have all kinds of relationships and a sub-entity.
enum TownEntities {
    static let all = [
        EntityDescription(
            "Person",
            attributes: [
                AttributeDescription("name", .text, isIndexed: true),
                AttributeDescription("age", .integer, isOptional: true),
                AttributeDescription("score", .double, isOptional: true),
                AttributeDescription("income", .decimal, isOptional: true, isIndexed: true),
                AttributeDescription("labels", .json, isOptional: true),
            ],
            relationships: [
                .toOne("house", "House", inverse: "residents"),
                .toOne("property", "House", inverse: "owner"),
                .toMany("friends", "Person", inverse: "friends"),
                .toMany("tags", "Tag", inverse: "people"),
            ]),
        EntityDescription(
            "Student", inheriting: "Person",
            attributes: [AttributeDescription("grade", .integer, isOptional: true)],
            relationships: [.toOne("mentor", "Person")]),
        EntityDescription(
            "House",
            attributes: [
                AttributeDescription("number", .integer, isIdentity: true),
                AttributeDescription("city", .text, isIndexed: true),
                AttributeDescription("size", .integer, isOptional: true),
            ],
            relationships: [
                .toMany("residents", "Person", inverse: "house"),
                .toOne("owner", "Person", inverse: "property"),
            ]),
        EntityDescription(
            "Tag", attributes: [AttributeDescription("label", .text)],
            relationships: [.toMany("people", "Person", inverse: "tags")]),
    ]

    static let texts = ["", "a", "A", "\u{E9}", "e\u{301}", "b\0", "b", "ab", "z"]
}
