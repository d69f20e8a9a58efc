// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// An observer that records events as text.
private final class EventLog: MapperObserver {
    private(set) var lines: [String] = []
    private(set) var result: MappingResult?
    var onObject: () -> Void = {}

    func observe(_ event: MapperEvent) {
        switch event {
        case .started: lines.append("started")
        case .found(let keyPath, let node): lines.append("found '\(keyPath)' \(node.kind)")
        case .notFound(let keyPath): lines.append("not found '\(keyPath)'")
        case .objectBegan(let keyPath):
            lines.append("began '\(keyPath)'")
            onObject()
        case .objectFinished(let keyPath, let object):
            lines.append("finished '\(keyPath)' \(type(of: object))")
        case .objectFailed(let keyPath, let code): lines.append("failed '\(keyPath)' \(code)")
        case .finished(.success(let result)):
            self.result = result
            lines.append("finished with \(result.count)")
        case .finished(.failure(let error)): lines.append("finished with \(error.code)")
        case .cancelled: lines.append("cancelled")
        }
    }
}

@Suite struct MapperOperationTests {
    private let user = Mapping.object(
        ObjectMapping(for: User.self, ["id": "userID", "name": "name"]))
    private let users = """
        [{"id":31337,"name":"Blake Watters","friend":null},{"id":187,"name":"Jeremy Ellison",
        "friend":{"id":255,"name":"Anthony Stark"}},{"id":7,"name":"Rachit Shukla","friend":null}]
        """
    private let blake = #"{"id":31337,"name":"Blake Watters"}"#

    private func run(
        _ mappings: KeyValuePairs<SourcePath, Mapping>, _ json: String,
        target: (any Mapped)? = nil, observer: (any MapperObserver)? = nil
    ) throws -> MappingResult {
        try MapperOperation(mappings).run(
            Document(parsing: json).root, target: target, observer: observer)
    }

    // MARK: Objects

    @Test(.parity("M276", "M283")) func mapsListToObjectsInOrder() throws {
        let result = try run(["": user], users)
        let found = result.objects(of: User.self)
        #expect(found.map(\.name) == ["Blake Watters", "Jeremy Ellison", "Rachit Shukla"])
        #expect(found.map(\.userID) == [31337, 187, 7])
        #expect(result.count == 3)
    }

    @Test(.parity("M277")) func skipsNullsInList() throws {
        let result = try run(["friend": user], users)
        #expect(result.objects(of: User.self).map(\.name) == ["Anthony Stark"])
        #expect(result.report.issues.isEmpty)
    }

    @Test(.parity("M278")) func changesNothingWithoutPropertyMappings() throws {
        let target = User(name: "before")
        let result = try run(
            ["": .object(ObjectMapping(table: User.properties))], blake, target: target)
        #expect(result.first as? User === target)
        #expect(target.name == "before")
    }

    @Test(.parity("M279")) func failsForTargetOfAnotherType() throws {
        let error = #expect(throws: MappingError.self) {
            try run(["": user], blake, target: Home())
        }
        #expect(error?.code == .wrongSubject)
    }

    @Test func ignoresIncompatibleTargetForSeveralKeyPaths() throws {
        let target = Home()
        let result = try run(["": user, "no": user], blake, target: target)
        #expect(result.objects(of: User.self).map(\.name) == ["Blake Watters"])
    }

    @Test(.parity("M280")) func fillsAndReturnsTarget() throws {
        let target = User()
        let result = try run(["": user], blake, target: target)
        #expect(result.first as? User === target)
        #expect(target.name == "Blake Watters")
    }

    @Test(.parity("M281", "M282")) func createsObjectWithoutTarget() throws {
        let first = try #require(try run(["": user], blake).first as? User)
        let second = try #require(try run(["": user], blake).first as? User)
        #expect(first !== second)
        #expect(first.userID == 31337)
        #expect(first.name == "Blake Watters")
    }

    @Test(.parity("M284")) func returnsObjectsByKeyPath() throws {
        let result = try run(["user": user], #"{"user":\#(blake)}"#)
        #expect(result.dictionary.keys.map(\.description) == ["user"])
        #expect((result.dictionary["user"]?.first as? User)?.name == "Blake Watters")
    }

    @Test(.parity("M285")) func ignoresTargetForList() throws {
        let target = User(name: "before")
        let result = try run(["": user], users, target: target)
        #expect(result.count == 3)
        #expect(!result.objects(of: User.self).contains { $0 === target })
        #expect(target.name == "before")
    }

    @Test(.parity("M290")) func mapsSeveralKeyPaths() throws {
        let product = Mapping.object(ObjectMapping(for: User.self, ["prodId": "userID"]))
        let category = Mapping.object(ObjectMapping(for: Home.self, ["catId": "addressID"]))
        let json = """
            {"categories":[{"catId":5},{"catId":5}],"products":[{"prodId":5},{"prodId":5}]}
            """
        let result = try run(["products": product, "categories": category], json)
        #expect(result.count == 4)
        #expect(result.array.map { "\(type(of: $0))" } == ["User", "User", "Home", "Home"])
        #expect(result.sections.map(\.keyPath) == ["products", "categories"])
    }

    @Test(arguments: ["[]", "{}"]) func returnsEmptyResultForEmptyDocument(json: String) throws {
        let result = try run(["": user], json)
        #expect(result.count == 0)
        #expect(result.first == nil)
    }

    // MARK: Missing representations

    @Test(.parity("M286", "M287"), arguments: [#"{"id":1}"#, #"[{"id":1}]"#])
    func findsNothingWithoutMappings(json: String) throws {
        let error = #expect(throws: MappingError.self) { try run([:], json) }
        #expect(error?.code == .notFound)
    }

    @Test(.parity("M288")) func listsSearchedKeyPathsInError() throws {
        let error = #expect(throws: MappingError.self) {
            try run(["this": user, "that": user], users)
        }
        #expect(error?.code == .notFound)
        #expect(error?.description.contains("searched at 'that', 'this'") == true)
        #expect(error?.description.contains("the key path wrong") == true)
    }

    @Test(.parity("M289")) func listsPresentKeysInError() throws {
        let error = #expect(throws: MappingError.self) {
            try run(["this": user, "that": user], #"{"user":\#(blake)}"#)
        }
        #expect(error?.description.contains("present are 'user'") == true)
        #expect(error?.description.contains("Blake") == false)
    }

    // MARK: Events

    private func lines(
        _ mappings: KeyValuePairs<SourcePath, Mapping>, _ json: String
    ) throws -> [String] {
        let log = EventLog()
        do { _ = try run(mappings, json, observer: log) } catch _ as MappingError {}
        return log.lines
    }

    @Test(.parity("M292", "M293", "M295", "M297")) func reportsEventsOfOneObject() throws {
        #expect(
            try lines(["": user], blake) == [
                "started", "found '' object", "began ''", "finished '' User", "finished with 1",
            ])
        #expect(
            try lines(["": user], users).filter { $0 == "finished '' User" }.count == 3)
    }

    @Test(.parity("M294")) func deliversResultToObserver() throws {
        let log = EventLog()
        _ = try run(["": user], users, observer: log)
        #expect(log.result?.objects(of: User.self).map(\.userID) == [31337, 187, 7])
    }

    @Test(.parity("M296")) func reportsKeyPathWithoutValue() throws {
        #expect(
            try lines(["users": user], blake) == [
                "started", "not found 'users'", "finished with notFound",
            ])
    }

    @Test(.parity("M298")) func reportsFailedObject() throws {
        struct ValidationError: Error {}
        var mapping = ObjectMapping(for: User.self, ["name": "name"])
        mapping.validate(\User.name) { _ in throw ValidationError() }
        #expect(
            try lines(["": .object(mapping)], blake) == [
                "started", "found '' object", "began ''", "failed '' validationFailed",
                "finished with validationFailed",
            ])
    }

    @Test(.parity("M291")) func returnsNoResultWhenCancelled() async throws {
        let children = (0..<500).map { #"{"id":\#($0)}"# }.joined(separator: ",")
        let operation = try MapperOperation(["": user])
        let document = try Document(parsing: "[\(children)]")
        let task = Task { () -> [String] in
            let log = EventLog()
            var count = 0
            log.onObject = {
                count += 1
                if count == 3 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            }
            do throws(MappingError) {
                _ = try operation.run(document.root, observer: log)
            } catch {
                return log.lines + ["\(error.code)"]
            }
            return log.lines
        }
        let lines = await task.value
        #expect(lines.filter { $0 == "finished '' User" }.count == 3)
        #expect(lines.suffix(2) == ["cancelled", "cancelled"])
        #expect(!lines.contains { $0.hasPrefix("finished with") })
    }

    // MARK: Results

    @Test(.parity("M299")) func hasNoFirstObjectWhenEmpty() {
        #expect(MappingResult([], report: MappingReport()).first == nil)
        let section = MappingResult.Section(keyPath: "", objects: [])
        #expect(MappingResult([section], report: MappingReport()).first == nil)
    }

    @Test(.parity("M300")) func returnsFirstObjectOfFirstSection() {
        let sections = ["one", "two"].map {
            MappingResult.Section(keyPath: SourcePath([.key($0)]), objects: [$0])
        }
        let result = MappingResult(sections, report: MappingReport())
        #expect(result.first as? String == "one")
        #expect(result.array as? [String] == ["one", "two"])
        #expect(result.set(of: String.self) == ["one", "two"])
        #expect(result.count == 2)
        #expect(
            MappingResult(sections.reversed(), report: MappingReport()).first as? String == "two")
    }

    @Test(.parity("M305")) func collectsInfoByKeyPath() throws {
        let mapping = ObjectMapping(for: User.self, ["name": "name", "friends": "friends"])
        let json = #"[{"name":"a","friends":[{"name":"b"}]},{"name":"c"}]"#
        let result = try MapperOperation(["": .object(mapping)]).run(
            Document(parsing: json).root, collectsInfo: true)
        let info = try #require(result.info[""])
        #expect(info.count == 2)
        #expect(info.first?["friends"]?.source == "friends")
        #expect(info.last?["friends"] == nil)
    }
}
