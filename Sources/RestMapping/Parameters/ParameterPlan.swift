// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A compiled request mapping: flat arrays of keys and steps, and nothing to look up by name.
public struct ParameterPlan: Sendable {
    /// A mapping that the objects themselves decide about.
    struct Choice: Sendable {
        struct Candidate: Sendable {
            let fits: @Sendable (any RepresentationSource) -> Bool
            let object: Int
        }

        let candidates: [Candidate]
    }

    @usableFromInline let storage: ParameterStorage
    let tables: [PropertyTable]
    /// The key of every step.
    let keyNames: [String]
    let forms: [ValueForm]
    let choices: [Choice]
    /// The one key the representation is wrapped in, or nil.
    let rootKey: String?

    /// Compiles a mapping.
    ///
    /// - Parameters:
    ///   - mapping: How objects become representations.
    ///   - rootKey: A key to wrap the representation in; taken as it stands, dots and all.
    /// - Throws: ``MappingError`` with code ``MappingError/Code/invalidMapping`` and every mistake.
    /// - Complexity: O(*n*) in the number of properties of all mappings reached.
    public init(
        _ mapping: ParameterMapping, rootKey: String? = nil
    ) throws(MappingError) {
        var compiler = ParameterCompiler()
        compiler.compile(mapping)
        guard compiler.diagnostics.isEmpty else {
            throw MappingError(
                .invalidMapping, mapping: mapping.table.name, diagnostics: compiler.diagnostics)
        }
        self = compiler.plan(rootKey: rootKey)
    }

    /// Compiles a mapping that is the same for all objects.
    ///
    /// - Throws: ``MappingError`` with every mistake.
    public init(_ mapping: RequestMapping, rootKey: String? = nil) throws(MappingError) {
        try self.init(.request(mapping), rootKey: rootKey)
    }

    /// Compiles mappings that the objects decide about.
    ///
    /// - Throws: ``MappingError`` with every mistake.
    public init(_ mapping: DynamicRequestMapping, rootKey: String? = nil) throws(MappingError) {
        try self.init(.dynamic(mapping), rootKey: rootKey)
    }

    /// Compiles the default mapping of a type.
    ///
    /// - Throws: ``MappingError`` with every mistake.
    public init<Subject: MappingSubject>(
        _ subject: Subject.Type, rootKey: String? = nil
    ) throws(MappingError) {
        try self.init(RequestMapping(for: subject), rootKey: rootKey)
    }

    init(
        storage: ParameterStorage, tables: [PropertyTable], keyNames: [String],
        forms: [ValueForm], choices: [Choice], rootKey: String?
    ) {
        self.storage = storage
        self.tables = tables
        self.keyNames = keyNames
        self.forms = forms
        self.choices = choices
        self.rootKey = rootKey
    }

    /// The properties of the type or entity the plan is for.
    public var table: PropertyTable { tables[0] }

    func property(of step: Int) -> Int? {
        let property = unsafe Int(storage.steps[step].property)
        return property < 0 ? nil : property
    }
}

// MARK: - Running

extension ParameterPlan {
    /// The representation of an object as JSON text.
    ///
    /// - Throws: ``MappingError`` when a value has no representation, such as NaN, or when the plan
    ///   is for another type; nothing is returned then.
    /// - Complexity: O(*n*) in the size of the text.
    @inlinable
    public func bytes<Subject: RepresentationSource>(
        of subject: Subject
    ) throws(MappingError) -> [UInt8] {
        try check(subject)
        return try run { writer throws(MappingFailure) in try writer.object(subject) }
    }

    /// The representations of several objects as the JSON text of a list.
    ///
    /// - Throws: ``MappingError`` when a value has no representation.
    @inlinable
    public func bytes<Subject: RepresentationSource>(
        ofAll subjects: some Collection<Subject>
    ) throws(MappingError) -> [UInt8] {
        for subject in subjects { try check(subject) }
        return try run { writer throws(MappingFailure) in try writer.objects(subjects) }
    }

    /// The representation of an object as a document, for formats other than JSON.
    ///
    /// - Throws: ``MappingError`` as ``bytes(of:)`` does.
    @inlinable
    public func document<Subject: RepresentationSource>(
        of subject: Subject
    ) throws(MappingError) -> Document {
        try check(subject)
        return try runToDocument { writer throws(MappingFailure) in try writer.object(subject) }
    }

    /// The representations of several objects as a document that is a list.
    ///
    /// - Throws: ``MappingError`` as ``bytes(of:)`` does.
    @inlinable
    public func document<Subject: RepresentationSource>(
        ofAll subjects: some Collection<Subject>
    ) throws(MappingError) -> Document {
        for subject in subjects { try check(subject) }
        return try runToDocument { writer throws(MappingFailure) in
            try writer.objects(subjects)
        }
    }

    /// Makes sure that the plan is for such an object.
    @inlinable
    func check<Subject: RepresentationSource>(_ subject: Subject) throws(MappingError) {
        if let type = table.subject, type == Subject.self { return }
        guard subject.isSubject(of: table) else { throw wrongSubject }
    }

    @usableFromInline var wrongSubject: MappingError {
        MappingError(.wrongSubject, mapping: table.name)
    }

    @usableFromInline
    func run(
        _ body: (inout RepresentationWriter) throws(MappingFailure) -> Void
    ) throws(MappingError) -> [UInt8] {
        try run(body) { writer throws(MappingError) in unsafe Array(writer.output.bytes) }
    }

    @usableFromInline
    func runToDocument(
        _ body: (inout RepresentationWriter) throws(MappingFailure) -> Void
    ) throws(MappingError) -> Document {
        try run(body) { writer throws(MappingError) in
            do {
                return try writer.takeDocument()
            } catch {
                // A value type outside of the library wrote what is not JSON.
                throw MappingError(.invalidObject, mapping: table.name)
            }
        }
    }

    private func run<Output>(
        _ body: (inout RepresentationWriter) throws(MappingFailure) -> Void,
        _ finish: (inout RepresentationWriter) throws(MappingError) -> Output
    ) throws(MappingError) -> Output {
        let root = ParameterStep(property: -1, object: 0, omitsNil: false)
        let result: Result<Output, MappingError> = unsafe withUnsafePointer(to: root) { step in
            var writer = unsafe RepresentationWriter(self, root: step)
            do throws(MappingFailure) {
                if let rootKey {
                    try writer.member(rootKey, body)
                } else {
                    try body(&writer)
                }
            } catch {
                return .failure(self.error(error, at: writer.failure))
            }
            return Result { () throws(MappingError) in try finish(&writer) }
        }
        return try withExtendedLifetime(storage) { () throws(MappingError) in try result.get() }
    }

    private func error(_ failure: MappingFailure, at place: FailurePlace) -> MappingError {
        let table = tables[place.mapping ?? 0]
        let issue = MappingIssue(
            path: DocumentPath(place.components.reversed()), mapping: table.name,
            property: place.property.map { table.properties[$0].name }, code: failure.code,
            expected: failure.expected, found: place.found)
        return MappingError(
            failure.code == .undetermined ? .undeterminedMapping : .invalidObject,
            mapping: self.table.name, issue: issue)
    }
}

extension RepresentationWriter {
    /// Writes a list of objects, each as the plan says.
    ///
    /// - Throws: ``MappingFailure`` when a property of one has no representation.
    @inlinable
    public mutating func objects<Subject: RepresentationSource>(
        _ subjects: some Collection<Subject>
    ) throws(MappingFailure) {
        let start = beginContainer()
        var index = 0
        do throws(MappingFailure) {
            for subject in subjects {
                _ = beginElement()
                try object(subject)
                index &+= 1
            }
        } catch {
            throw note(error, index: index)
        }
        endList(start)
    }

    /// Writes an object with one member.
    mutating func member(
        _ key: String, _ body: (inout RepresentationWriter) throws(MappingFailure) -> Void
    ) throws(MappingFailure) {
        let start = beginContainer()
        beginMember(key)
        do throws(MappingFailure) {
            try body(&self)
        } catch {
            throw note(error, key: key)
        }
        endObject(start)
    }
}
