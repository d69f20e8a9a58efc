// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping
import TestSupport
import Testing

private enum Shelf {
    @Mapped struct Book: Equatable {
        let id: Int
    }

    @Mapped struct Library {
        var books: [Book] = [Book(id: 0)]
        var optionalBooks: [Book]? = [Book(id: 0)]
        var byName: [String: Book] = ["a": Book(id: 0)]
        var tags: [String] = ["old"]
        var numbers: Set<Int> = [0]
        var words: DistinctArray<String> = ["old"]
        var places: [String?] = []
    }
}

/// Null where a list is expected is an empty list or nil; a null element is an issue and left out.
@Suite struct NullListTests {
    private let nulls = """
        {"books":null,"optionalBooks":null,"byName":null,"tags":null,"numbers":null,"words":null}
        """

    private func expectEmpty(
        _ library: Shelf.Library, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(library.books.isEmpty, sourceLocation: sourceLocation)
        #expect(library.optionalBooks == nil, sourceLocation: sourceLocation)
        #expect(library.byName.isEmpty, sourceLocation: sourceLocation)
        #expect(library.tags.isEmpty, sourceLocation: sourceLocation)
        #expect(library.numbers.isEmpty, sourceLocation: sourceLocation)
        #expect(library.words.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: [IssuePolicy.standard, .strict, .lenient])
    func assignsEmptyListForNull(policy: IssuePolicy) throws {
        var report = MappingReport()
        let mapping = ObjectMapping(for: Shelf.Library.self, policy: policy)
        let found = try map(Shelf.Library.self, nulls, with: mapping, report: &report)
        expectEmpty(try #require(found.first))
        #expect(report.issues.isEmpty)
    }

    @Test func emptiesListsOfFilledObject() throws {
        var report = MappingReport()
        let filled = try MappingPlan(Shelf.Library.self).object(
            updating: Shelf.Library(), from: Document(parsing: nulls).root, report: &report)
        expectEmpty(filled)
        #expect(report.issues.isEmpty)
    }

    @Test func addsNothingForNullToUnion() throws {
        var mapping = ObjectMapping(table: Shelf.Library.properties)
        mapping.add(RelationshipMapping("books", to: "books", assignment: .union))
        var report = MappingReport()
        let filled = try MappingCompiler().compile(mapping).object(
            updating: Shelf.Library(), from: Document(parsing: nulls).root, report: &report)
        #expect(filled.books == [Shelf.Book(id: 0)])
    }

    private let elements = """
        {"books":[null,{"id":1}],"optionalBooks":[{"id":2},null],"byName":{"b":null,"c":{"id":3}},
        "tags":["x",null],"numbers":[null,4],"words":[null],"places":[null,"y"]}
        """

    @Test(arguments: [IssuePolicy.standard, .lenient])
    func leavesOutNullElements(policy: IssuePolicy) throws {
        var report = MappingReport()
        let mapping = ObjectMapping(for: Shelf.Library.self, policy: policy)
        let found = try map(Shelf.Library.self, elements, with: mapping, report: &report)
        let library = try #require(found.first)
        #expect(library.books == [Shelf.Book(id: 1)])
        #expect(library.optionalBooks == [Shelf.Book(id: 2)])
        #expect(library.byName == ["c": Shelf.Book(id: 3)])
        #expect(library.tags == ["x"])
        #expect(library.numbers == [4])
        #expect(library.words.isEmpty)
        #expect(library.places == [nil, "y"])
        #expect(
            report.issues.map(\.path) == [
                "books[0]", "optionalBooks[1]", "byName.b", "tags[1]", "numbers[0]", "words[0]",
            ])
        #expect(Set(report.issues.map(\.code)) == [.nullValue])
        #expect(report.droppedObjectCount == 3)
    }

    @Test func failsForNullElementIfWrongValuesFail() throws {
        let mapping = ObjectMapping(for: Shelf.Library.self, policy: .strict)
        let error = #expect(throws: MappingError.self) {
            try map(Shelf.Library.self, #"{"tags":["x",null]}"#, with: mapping)
        }
        #expect(error?.path == "tags[1]")
    }

    // MARK: The root of a run

    private func expectOneBook(
        of json: String, dropping count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let root = try Document(parsing: json).root
        let plan = try MappingPlan(Shelf.Book.self)
        let dynamic = try MappingCompiler().compile(
            DynamicMapping([
                MappingMatcher(at: "id", is: .number, mapping: ObjectMapping(for: Shelf.Book.self))
            ]))
        let expected = count == 1 ? [Shelf.Book(id: 1)] : []
        let runs: [(String, (inout MappingReport) throws -> [Any])] = [
            ("objects", { try plan.objects(Shelf.Book.self, from: root, report: &$0) }),
            ("value", { try plan.value([Shelf.Book].self, from: root, report: &$0) }),
            ("any", { try plan.anyObjects(from: root, report: &$0) }),
            ("dynamic", { try dynamic.anyObjects(from: root, report: &$0) }),
            (
                "operation",
                {
                    let mapping = ObjectMapping(for: Shelf.Book.self)
                    let result = try MapperOperation(["": .object(mapping)]).run(root)
                    $0 = result.report
                    return result.array
                }
            ),
        ]
        for (name, run) in runs {
            var report = MappingReport()
            let found = try run(&report)
            #expect(found as? [Shelf.Book] == expected, "\(name)", sourceLocation: sourceLocation)
            #expect(
                report.issues.map(\.code) == Array(repeating: .nullValue, count: count), "\(name)",
                sourceLocation: sourceLocation)
            #expect(report.droppedObjectCount == count, "\(name)", sourceLocation: sourceLocation)
        }
        var report = MappingReport()
        let documents = try plan.documents(from: root, report: &report)
        #expect(documents.count == expected.count, sourceLocation: sourceLocation)
    }

    @Test func mapsNullDocumentToEmptyList() throws {
        try expectOneBook(of: "null", dropping: 0)
        var report = MappingReport()
        let none = try MappingPlan(Shelf.Book.self).value(
            [Shelf.Book]?.self, from: Document(parsing: "null").root, report: &report)
        #expect(none == nil)
    }

    @Test func leavesOutNullElementsOfDocument() throws {
        try expectOneBook(of: #"[null,{"id":1}]"#, dropping: 1)
    }

    @Test func findsNullAtKeyPathOfOperation() throws {
        let mapping = Mapping.object(ObjectMapping(for: Shelf.Book.self))
        let result = try MapperOperation(["a": mapping, "b": mapping]).run(
            Document(parsing: #"{"a":null,"b":[{"id":1}]}"#).root)
        #expect(result.sections.map(\.objects.count) == [0, 1])
        let none = try MapperOperation(["a": mapping]).run(Document(parsing: #"{"a":null}"#).root)
        #expect(none.count == 0)
    }
}
#endif
