// SPDX-License-Identifier: Apache-2.0

public import RestDocument

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
