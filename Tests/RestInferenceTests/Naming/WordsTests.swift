// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RestInference

@Suite struct WordsTests {
    @Test(arguments: [
        ("full_name", ["full", "name"]), ("fullName", ["full", "name"]),
        ("FullName", ["full", "name"]),
        ("HTMLUrl", ["html", "url"]), ("userID", ["user", "id"]),
        ("@odata.nextLink", ["odata", "next", "link"]),
        ("page[size]", ["page", "size"]), ("", []), ("v2", ["v2"]),
    ])
    func splitsNamesInAnySpelling(_ name: String, _ words: [String]) {
        #expect(Words.words(of: name) == words)
    }

    @Test(arguments: [
        ("repos", "Repo"), ("people", "Person"), ("categories", "Category"),
        ("order_lines", "OrderLine"),
        ("statuses", "Status"), ("species", "Species"), ("addresses", "Address"), ("boxes", "Box"),
        ("news", "News"), ("movies", "Movie"), ("licenses", "License"), ("123", "Record"),
        ("données", "Donne"),
    ])
    func namesEntitiesInTheSingular(_ name: String, _ entity: String) {
        #expect(Words.entityName(name) == entity)
    }
}
