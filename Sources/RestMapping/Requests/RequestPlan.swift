// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A compiled request mapping: flat arrays of keys and steps, without lookups by name.
public struct RequestPlan: Sendable {
    /// A mapping that is chosen for each object.
    struct Choice: Sendable {
        struct Candidate: Sendable {
            let matches: @Sendable (any RequestSubject) -> Bool
            let object: Int
        }

        let candidates: [Candidate]
    }

    @usableFromInline let storage: RequestPlanStorage
    let tables: [PropertyTable]
    /// The key of each step.
    let keyNames: [String]
    let valueOptions: [RequestValueOptions]
    let choices: [Choice]
    /// The only key of the object that wraps the representation, or nil.
    let rootKey: String?
    /// The format of dates for which the mappings declare none.
    public var dates = DateFormat.iso8601

    /// Creates a plan from a mapping of any kind.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of objects to representations.
    ///   - rootKey: A key that wraps the representation; it is used literally, dots included.
    /// - Throws: ``MappingError`` with code ``MappingError/Code/invalidMapping`` and all
    ///   diagnostics.
    /// - Complexity: O(*n*) in the number of properties of all mappings reached.
    public init(
        _ mapping: AnyRequestMapping, rootKey: String? = nil
    ) throws(MappingError) {
        var compiler = RequestPlanCompiler()
        compiler.compile(mapping)
        guard compiler.diagnostics.isEmpty else {
            throw MappingError(
                .invalidMapping, mapping: mapping.table.name, diagnostics: compiler.diagnostics)
        }
        self = compiler.plan(rootKey: rootKey)
    }

    /// Creates a plan from a mapping that is the same for all objects.
    ///
    /// - Throws: ``MappingError`` with all diagnostics.
    public init(_ mapping: RequestMapping, rootKey: String? = nil) throws(MappingError) {
        try self.init(.request(mapping), rootKey: rootKey)
    }

    /// Creates a plan from mappings that are chosen for each object.
    ///
    /// - Throws: ``MappingError`` with all diagnostics.
    public init(_ mapping: DynamicRequestMapping, rootKey: String? = nil) throws(MappingError) {
        try self.init(.dynamic(mapping), rootKey: rootKey)
    }

    /// Creates a plan from the default mapping of a type.
    ///
    /// - Throws: ``MappingError`` with all diagnostics.
    public init<Subject: MappingSubject>(
        _ subject: Subject.Type, rootKey: String? = nil
    ) throws(MappingError) {
        try self.init(RequestMapping(for: subject), rootKey: rootKey)
    }

    init(
        storage: RequestPlanStorage, tables: [PropertyTable], keyNames: [String],
        valueOptions: [RequestValueOptions], choices: [Choice], rootKey: String?
    ) {
        self.storage = storage
        self.tables = tables
        self.keyNames = keyNames
        self.valueOptions = valueOptions
        self.choices = choices
        self.rootKey = rootKey
    }

    /// The properties of the type or entity that the plan is for.
    public var table: PropertyTable { tables[0] }

    func property(of step: Int) -> Int? {
        let property = unsafe Int(storage.steps[step].property)
        return property < 0 ? nil : property
    }
}

// MARK: - Running

extension RequestPlan {
    /// Returns the representation of an object as JSON text.
    ///
    /// - Throws: ``MappingError`` when a value has no representation, such as NaN, or when the plan
    ///   is for another type.
    /// - Complexity: O(*n*) in the size of the text.
    @inlinable
    public func bytes<Subject: RequestSubject>(
        of subject: Subject
    ) throws(MappingError) -> [UInt8] {
        try check(subject)
        return try run { writer throws(MappingFailure) in try writer.object(subject) }
    }

    /// Returns the representations of several objects as the JSON text of a list.
    ///
    /// - Throws: ``MappingError`` when a value has no representation.
    @inlinable
    public func bytes<Subject: RequestSubject>(
        ofAll subjects: some Collection<Subject>
    ) throws(MappingError) -> [UInt8] {
        for subject in subjects { try check(subject) }
        return try run { writer throws(MappingFailure) in try writer.objects(subjects) }
    }

    /// Returns the representation of an object as a URL-encoded form: the form of
    /// ``document(of:)``, written without a document.
    ///
    /// - Parameters:
    ///   - subject: The object.
    ///   - format: The format, with its limit for nesting and its style.
    /// - Returns: The form.
    /// - Throws: ``MappingError`` under the conditions of ``bytes(of:)``, or when containers are
    ///   nested too deeply or in a list that can have plain values only.
    /// - Complexity: O(*n*) in the size of the form, and O(*n* log *n*) in the number of members.
    public func form<Subject: RequestSubject>(
        of subject: Subject, in format: FormFormat = FormFormat()
    ) throws(MappingError) -> [UInt8] {
        var form = FormWriter(maximumDepth: format.maximumDepth, style: format.style)
        try write(subject, to: &form)
        return form.finish()
    }

    /// Writes an object as the current value of a form.
    ///
    /// - Throws: ``MappingError``, as ``form(of:in:)`` does. The form is then incomplete.
    package func write<Subject: RequestSubject>(
        _ subject: Subject, to form: inout FormWriter
    ) throws(MappingError) {
        try check(subject)
        // Only one copy is left, so that it is not copied when it grows.
        var written = Optional(form)
        form = FormWriter(maximumDepth: 0)
        try run(&written) { writer throws(MappingFailure) in
            try writer.object(subject)
        } _: { _ in
        }
        form = written ?? form
    }

    /// Returns the representation of an object as a document, for formats other than JSON and forms.
    ///
    /// - Throws: ``MappingError`` under the conditions of ``bytes(of:)``.
    @inlinable
    public func document<Subject: RequestSubject>(
        of subject: Subject
    ) throws(MappingError) -> Document {
        try check(subject)
        return try runToDocument { writer throws(MappingFailure) in try writer.object(subject) }
    }

    /// Returns the representations of several objects as a document that is a list.
    ///
    /// - Throws: ``MappingError`` under the conditions of ``bytes(of:)``.
    @inlinable
    public func document<Subject: RequestSubject>(
        ofAll subjects: some Collection<Subject>
    ) throws(MappingError) -> Document {
        for subject in subjects { try check(subject) }
        return try runToDocument { writer throws(MappingFailure) in
            try writer.objects(subjects)
        }
    }

    /// Checks that the plan is for the type of an object.
    @inlinable
    func check<Subject: RequestSubject>(_ subject: Subject) throws(MappingError) {
        if let type = table.subject, type == Subject.self { return }
        guard subject.isSubject(of: table) else { throw wrongSubject }
    }

    @usableFromInline var wrongSubject: MappingError {
        MappingError(.wrongSubject, mapping: table.name)
    }

    @usableFromInline
    func run(
        _ body: (inout RequestWriter) throws(MappingFailure) -> Void
    ) throws(MappingError) -> [UInt8] {
        var form: FormWriter?
        return try run(&form, body) { writer throws(MappingError) in
            unsafe Array(writer.output.bytes)
        }
    }

    @usableFromInline
    func runToDocument(
        _ body: (inout RequestWriter) throws(MappingFailure) -> Void
    ) throws(MappingError) -> Document {
        var form: FormWriter?
        return try run(&form, body) { writer throws(MappingError) in
            try takeDocument(of: &writer)
        }
    }

    /// Returns the document that a closure writes, with the dates whose format no mapping declares.
    func runToDatedDocument(
        _ body: (inout RequestWriter) throws(MappingFailure) -> Void
    ) throws(MappingError) -> DatedDocument {
        var form: FormWriter?
        return try run(&form) { writer throws(MappingFailure) in
            writer.recordsDates = true
            try body(&writer)
        } _: { writer throws(MappingError) in
            let dates = writer.recordedDates
            return DatedDocument(try takeDocument(of: &writer), datesAt: dates)
        }
    }

    private func takeDocument(
        of writer: inout RequestWriter
    ) throws(MappingError) -> Document {
        do {
            return try writer.takeDocument()
        } catch {
            // A value type outside the library wrote text that is not JSON.
            throw MappingError(.invalidObject, mapping: table.name)
        }
    }

    /// Runs the plan; the writer has the form meanwhile.
    private func run<Output>(
        _ form: inout FormWriter?,
        _ body: (inout RequestWriter) throws(MappingFailure) -> Void,
        _ finish: (inout RequestWriter) throws(MappingError) -> Output
    ) throws(MappingError) -> Output {
        let root = RequestStep(property: -1, object: 0, omitsNil: false)
        let result: Result<Output, MappingError> = unsafe withUnsafePointer(to: root) { step in
            var writer = unsafe RequestWriter(self, root: step)
            writer.exchange(&form)
            defer { writer.exchange(&form) }
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

    private func error(_ failure: MappingFailure, at location: FailureLocation) -> MappingError {
        let table = tables[location.mapping ?? 0]
        let issue = MappingIssue(
            path: DocumentPath(location.components.reversed()), mapping: table.name,
            property: location.property.map { table.properties[$0].name }, code: failure.code,
            expected: failure.expected, found: location.found)
        return MappingError(
            failure.code == .undetermined ? .undeterminedMapping : .invalidObject,
            mapping: self.table.name, issue: issue)
    }
}

extension RequestWriter {
    /// Writes a list of objects, each by the plan.
    ///
    /// - Throws: ``MappingFailure`` when a property of one has no representation.
    @inlinable
    public mutating func objects<Subject: RequestSubject>(
        _ subjects: some Collection<Subject>
    ) throws(MappingFailure) {
        if isMemberList {
            let start = try beginContainer()
            for subject in subjects {
                let memberStart = beginMembers()
                try object(subject)
                endMembers(memberStart)
            }
            return endObject(start)
        }
        let start = try beginContainer()
        var index = 0
        do throws(MappingFailure) {
            for subject in subjects {
                _ = beginElement()
                try object(subject)
                index &+= 1
            }
        } catch {
            throw located(error, index: index)
        }
        endList(start)
    }

    /// Writes an object with one member.
    mutating func member(
        _ key: String, _ body: (inout RequestWriter) throws(MappingFailure) -> Void
    ) throws(MappingFailure) {
        let start = try beginContainer()
        beginMember(key)
        do throws(MappingFailure) {
            try body(&self)
        } catch {
            throw located(error, key: key)
        }
        endObject(start)
    }
}
