// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension Document {
    /// Creates the representation of a value, as a request mapping without options writes it.
    ///
    /// Nil is null, and mapped objects are written by the mapping that their type declares, or else the default
    /// one.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - dates: The format of dates.
    /// - Throws: ``MappingError`` when a value has no representation, such as NaN.
    public init<Value: MappableValue>(
        representing value: Value, dates: DateFormat = .iso8601
    ) throws(MappingError) {
        if let document = value as? Document {
            self = document
            return
        }
        var plan = try RequestPlan.representing(Value.self)
        plan.dates = dates
        self = try plan.runToDocument { writer throws(MappingFailure) in
            try value.write(to: &writer)
            if writer.count == 0 { writer.null() }
        }
    }
}

extension Document {
    /// Creates the representation of a value that encodes itself.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder.
    ///   - dates: The format of dates, if the encoder has no strategy for them.
    /// - Throws: `DocumentError` from the encoder, or ``MappingError`` with the path of a date that the
    ///   format cannot represent.
    package init(
        encoding value: some Encodable, by encoder: DocumentEncoder, dates: DateFormat
    ) throws {
        guard encoder.dateEncodingStrategy == nil, dates != .iso8601 else {
            self = try encoder.encode(value)
            return
        }
        let marks = DateMarks()
        var encoder = encoder
        encoder.dateEncodingStrategy = marks.strategy
        let content = DatedDocument(try encoder.encode(value), markedBy: marks)
        self = try content.document(dates: dates)
    }
}

extension RequestPlan {
    /// A plan without objects, for plain values.
    static let values: RequestPlan = {
        var compiler = RequestPlanCompiler()
        compiler.compile(
            .request(RequestMapping(table: PropertyTable(entity: "parameters", []))))
        return compiler.plan(rootKey: nil)
    }()

    /// Returns the plan by which values of a type are written without a mapping of their own.
    static func representing<Value: MappableValue>(
        _ type: Value.Type
    ) throws(MappingError) -> RequestPlan {
        guard let table = Value.relation?.table else { return values }
        return try RequestPlan(RequestMapping(declaredBy: table))
    }
}
