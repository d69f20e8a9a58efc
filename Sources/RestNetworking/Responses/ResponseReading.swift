// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The mapping that a response is matched with.
enum ResponseExpectation: Sendable {
    /// The descriptors for a type, or the type's own mapping if there are none.
    case type(ExpectedMapping)
    /// The descriptors for objects of another one's type, or that one if there are none.
    case descriptor(ResponseDescriptor)
    /// All descriptors that match.
    case descriptors
    /// None: the body is not read.
    case nothing
}

/// The way to map a response to a value: the mapping that is expected, and the function that runs it.
struct ResponseReading<Value>: Sendable {
    typealias Expectation = ResponseExpectation

    /// The function that maps a response; it adds issues and counts to the report, also if it throws.
    enum Function: Sendable {
        /// Creates objects, which hold imported ones in place of entities.
        case objects(
            @Sendable (ObjectResponse, ResponseEntities?, inout MappingReport) throws -> Value)
        /// Imports the response into another destination.
        case importing(
            @Sendable (ObjectResponse, inout MappingReport) async throws -> sending Value)
        /// Returns the response to a caller who maps it.
        case received(@Sendable (ObjectResponse) -> Value)
    }

    let expectation: Expectation
    private(set) var function: Function

    /// The function for copies of an operation; `nil` for the same one.
    private var functionOfCopies: Function?

    /// A Boolean value that indicates whether errors in a response of success are values like others.
    private(set) var returnsErrors = false

    /// Creates a reading that creates objects.
    init(
        expectation: Expectation,
        _ objects:
            @escaping @Sendable (ObjectResponse, ResponseEntities?, inout MappingReport) throws ->
            Value
    ) {
        self.expectation = expectation
        function = .objects(objects)
    }

    /// A function that imports a response, and adds issues and counts to the report.
    typealias Import =
        @Sendable (ObjectResponse, inout MappingReport) async throws -> sending Value

    /// Creates a reading that imports responses.
    ///
    /// - Parameters:
    ///   - expectation: The mapping that is expected.
    ///   - importing: Imports a response.
    ///   - importingOfCopies: Imports the response to a copy of an operation.
    init(
        expectation: Expectation, importing: @escaping Import,
        copies importingOfCopies: @escaping Import
    ) {
        self.expectation = expectation
        function = .importing(importing)
        functionOfCopies = .importing(importingOfCopies)
    }

    /// The reading for a copy of an operation.
    var ofCopies: ResponseReading {
        var reading = self
        reading.function = functionOfCopies ?? function
        return reading
    }

    /// A Boolean value that indicates whether the reading saves objects.
    var isImport: Bool {
        if case .importing = function { true } else { false }
    }

    /// Returns the value of a response that the caller maps; `nil` for other readings.
    func unmapped(_ response: ObjectResponse) -> Value? {
        guard case .received(let function) = function else { return nil }
        return function(response)
    }

    /// Returns the objects of a response that hold imported entities.
    func objects(
        response: ObjectResponse, _ entities: ResponseEntities, _ report: inout MappingReport
    ) throws -> Value {
        guard case .objects(let function) = function else {
            preconditionFailure("a reading that imports has no objects")
        }
        return try function(response, entities, &report)
    }

    /// The reading of the same response that leaves mapping to the caller.
    var withoutMapping: ResponseReading<ObjectResponse> {
        ResponseReading<ObjectResponse>(
            receiving: expectation, returnsErrors: returnsErrors)
    }

    /// A Boolean value that indicates whether the body of a successful response is not read.
    var ignoresBody: Bool {
        if case .nothing = expectation { true } else { false }
    }

    /// Returns the descriptor of a successful response if the manager has none for the type.
    func expectedDescriptor(
        in defaults: DefaultMappings
    ) throws(NetworkingError) -> ResponseDescriptor? {
        switch expectation {
        case .type(let expected): try defaults.descriptor(for: expected)
        case .descriptor(let descriptor): descriptor
        case .descriptors, .nothing: nil
        }
    }
}

// MARK: - Values

extension ResponseReading where Value: MappableValue {
    /// Reads one value, or the empty value of the type if the body is empty.
    static func value() -> ResponseReading {
        ResponseReading(expectation: .type(ExpectedMapping(of: Value.self))) {
            response, entities, report in
            guard let match = response.matchOfValue else {
                return try response.emptyValue(Value.self)
            }
            return try response.wrappingMappingErrors { () throws(MappingError) in
                try match.plan.value(
                    Value.self, from: match.representation, in: match.environment(entities),
                    report: &report)
            }
        }
    }
}

extension ResponseReading where Value: Decodable & SendableMetatype {
    /// Reads one value that decodes itself, or the empty value of the type if the body is empty.
    static func decoded() -> ResponseReading {
        ResponseReading(expectation: .type(ExpectedMapping(decoding: Value.self))) {
            response, _, report in
            guard let match = response.matchOfValue else {
                return try response.emptyValue(Value.self)
            }
            if match.representation.isNull, let empty = emptyCollection(Value.self) {
                return empty
            }
            let value = try response.decode(Value.self, match, &report)
            report.objectCount += 1
            return value
        }
    }
}

extension ResponseReading where Value == Document {
    /// Reads a document without mapping it.
    static func document() -> ResponseReading {
        ResponseReading(expectation: .type(ExpectedMapping(of: Document.self))) { response, _, _ in
            guard let match = response.matchOfValue else {
                throw response.error(.emptyResponse, stage: .mapping)
            }
            if match.descriptor.keyPath.components.isEmpty, let document = response.document {
                return document
            }
            var builder = DocumentBuilder()
            builder.value(match.representation)
            return builder.finish()
        }
    }
}

extension ResponseReading<Void> {
    /// Reads nothing.
    static var nothing: ResponseReading {
        ResponseReading(expectation: .nothing) { _, _, _ in }
    }
}

extension ResponseReading<ObjectResponse> {
    fileprivate init(receiving expectation: Expectation, returnsErrors: Bool) {
        self.expectation = expectation
        self.returnsErrors = returnsErrors
        function = .received { $0 }
    }

    /// Returns the response with its matches.
    static func response(expecting expected: ResponseDescriptor?) -> ResponseReading {
        ResponseReading(
            expectation: expected.map { .descriptor($0) } ?? .descriptors
        ) { response, _, _ in response }
    }
}

extension ResponseReading<MappingResult> {
    /// Reads new objects by key path, of all matches.
    static var result: ResponseReading {
        var reading = ResponseReading(expectation: .descriptors) { response, entities, report in
            let sections = try response.matches.map { match throws(NetworkingError) in
                MappingResult.Section(
                    keyPath: SourcePath(match.descriptor.keyPath),
                    objects: try response.newObjects(of: match, entities, &report))
            }
            return MappingResult(sections, report: report)
        }
        reading.returnsErrors = true
        return reading
    }
}

// MARK: - Lists

extension ResponseReading {
    /// Reads the objects or values of all matches: of a list, of a single one, none of null.
    static func objects<Object: MappableValue>(
        of type: Object.Type
    ) -> ResponseReading where Value == [Object] {
        if let type = type as? any Mapped.Type,
            let reading = mappedObjects(of: type) as? ResponseReading
        {
            return reading
        }
        return lists(.type(ExpectedMapping(of: type))) { response, match, entities, report in
            let node = match.representation
            return try response.wrappingMappingErrors { () throws(MappingError) in
                switch node.kind {
                case .null: []
                case .array:
                    try match.plan.value(
                        [Object].self, from: node, in: match.environment(entities), report: &report)
                default:
                    [
                        try match.plan.value(
                            type, from: node, in: match.environment(entities), report: &report)
                    ]
                }
            }
        }
    }

    private static func mappedObjects<Object: Mapped>(of type: Object.Type) -> Any {
        ResponseReading<[Object]>.lists(.type(ExpectedMapping(of: type))) {
            response, match, entities, report in
            try response.wrappingMappingErrors { () throws(MappingError) in
                try match.plan.objects(
                    type, from: match.representation, in: match.environment(entities),
                    report: &report)
            }
        }
    }

    /// Reads the values of all matches, which decode themselves.
    @_disfavoredOverload
    static func objects<Object: Decodable & SendableMetatype>(
        of type: Object.Type
    ) -> ResponseReading where Value == [Object] {
        lists(.type(ExpectedMapping(decoding: type))) { response, match, _, report in
            let objects: [Object]
            switch match.representation.kind {
            case .null: objects = []
            case .array: objects = try response.decode([Object].self, match, &report)
            default: objects = [try response.decode(type, match, &report)]
            }
            report.objectCount += objects.count
            return objects
        }
    }

    private static func lists<Object>(
        _ expectation: Expectation,
        _ objects:
            @escaping @Sendable (
                ObjectResponse, ResponseMatch, ResponseEntities?, inout MappingReport
            ) throws -> [Object]
    ) -> ResponseReading where Value == [Object] {
        ResponseReading(expectation: expectation) { response, entities, report in
            guard let first = response.matches.first else { return [] }
            var list = try objects(response, first, entities, &report)
            for match in response.matches.dropFirst() {
                list += try objects(response, match, entities, &report)
            }
            return list
        }
    }
}

/// Returns the empty value of a list, a set or a dictionary; `nil` for a type of another kind.
private func emptyCollection<Value>(_ type: Value.Type) -> Value? {
    func list<Elements: ExpressibleByArrayLiteral>(_ type: Elements.Type) -> Value? {
        ([] as Elements) as? Value
    }
    func keyed<Members: ExpressibleByDictionaryLiteral>(_ type: Members.Type) -> Value? {
        ([:] as Members) as? Value
    }
    if let type = type as? any (Collection & ExpressibleByArrayLiteral).Type { return list(type) }
    if let type = type as? any (Collection & ExpressibleByDictionaryLiteral).Type {
        return keyed(type)
    }
    return nil
}

// MARK: - Running

extension ObjectResponse {
    /// Returns new objects of a match, of the types that its mapping decides.
    func newObjects(
        of match: ResponseMatch, _ entities: ResponseEntities?,
        _ report: inout MappingReport
    ) throws(NetworkingError) -> [Any] {
        try wrappingMappingErrors { () throws(MappingError) in
            try match.plan.anyObjects(
                from: match.representation, in: match.environment(entities), report: &report)
        }
    }

    /// Returns the value for an empty body.
    fileprivate func emptyValue<Value>(
        _ type: Value.Type
    ) throws(NetworkingError) -> sending Value {
        if let type = type as? any EmptyResponseValue.Type, let empty = type.emptyValue() as? Value
        {
            return empty
        }
        throw error(
            .emptyResponse, stage: .mapping,
            causes: ["the body is empty; request \(type)? or no value"])
    }

    /// Decodes the representation of a match by the decoder of its descriptor.
    ///
    /// A null element of a collection is an issue and left out, unless the elements are optional or the
    /// policy of the descriptor is to fail.
    fileprivate func decode<Value: Decodable>(
        _ type: Value.Type, _ match: ResponseMatch, _ report: inout MappingReport
    ) throws(NetworkingError) -> Value {
        let nulls = match.failsForNull ? [] : Self.nullElements(type, match.representation)
        guard !nulls.isEmpty else {
            return try decode(type, match, match.representation) { $0 }
        }
        for null in nulls {
            report.add(
                MappingIssue(
                    path: match.environment.location.path(of: null.path),
                    mapping: match.plan.table.name, property: nil, code: .nullValue,
                    expected: "an element that is not null", found: "null"))
        }
        report.droppedObjectCount += nulls.count
        let reduced = ReducedRepresentation(match.representation, without: nulls)
        return try decode(type, match, reduced.document.root, reduced.originalPath)
    }

    private static func nullElements<Value>(_ type: Value.Type, _ node: Node) -> [Node] {
        (type as? any DecodableContainer.Type)?.nullElements(of: node) ?? []
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type, _ match: ResponseMatch, _ node: Node,
        _ location: (DocumentPath) -> DocumentPath
    ) throws(NetworkingError) -> Value {
        do throws(DocumentError) {
            return try match.decoder.decode(type, from: node)
        } catch {
            throw self.error(
                .mappingFailed, stage: .mapping, path: location(error.path), underlying: error)
        }
    }

    /// The match that a single value is read from: the first that is not null.
    fileprivate var matchOfValue: ResponseMatch? {
        matches.first { !$0.representation.isNull } ?? matches.first
    }

    /// Calls a closure and wraps its error in one that names the request.
    func wrappingMappingErrors<Result>(
        _ body: () throws(MappingError) -> Result
    ) throws(NetworkingError) -> Result {
        do throws(MappingError) {
            return try body()
        } catch {
            throw self.error(
                .mappingFailed, stage: .mapping, path: error.path, causes: advice(after: error),
                underlying: error)
        }
    }

    /// Returns the advice to name a key path, if the document is an object that is not the expected
    /// value but may contain it; and the descriptors for the type that are for other paths.
    private func advice(after error: MappingError) -> [String] {
        let descriptors = matches.flatMap(\.descriptor.otherDescriptors)
        let others = descriptors.prefix(Self.maximumOtherCount).map {
            "no descriptor for the type is for this path, so its default mapping applies; another "
                + "is \($0)"
        }
        guard let issue = error.issue, issue.path.components.isEmpty,
            [.unmappable, .typeMismatch].contains(issue.code), document?.root.kind == .object,
            matches.allSatisfy(\.descriptor.keyPath.components.isEmpty)
        else { return others }
        return ["the document is an object; if the value is inside it, name its key path"] + others
    }

    /// The maximum number of descriptors for other paths that an error lists.
    private static var maximumOtherCount: Int { 3 }
}

extension ResponseMatch {
    /// A Boolean value that indicates whether the mapping declares that null in place of an element fails.
    fileprivate var failsForNull: Bool {
        guard case .codable(let mapping) = descriptor.mapping.mapping else { return false }
        return mapping.policy.invalidValue == .failObject
    }
}
