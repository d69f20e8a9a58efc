// SPDX-License-Identifier: Apache-2.0

import RestDocument

extension DefinitionKeys {
    /// The keys of all types of pagination.
    struct PaginationKeys: Sendable {
        var type = ""
        var path: DocumentPath?
        var cursor: ValueLocation?
        var field: DocumentPath?
        var parameter: String?
        var first: Int?
        var name: String?
        var size: Int?
        var sizeParameter: String?
        var placement = PaginationDefinition.Placement.query
        var hasMore: ValueLocation?
        var total: ValueLocation?
        var totalPages: ValueLocation?
        var stops: [PaginationDefinition.Stop] = []
        var maximumPageCount: Int?
        var cap: Int?
    }

    private static let cases: [ObjectSchema.Case] = [
        .init("single_page", "The response contains the whole list."),
        .init(
            "header_link", "The Link header field has the URL of the next page.",
            optional: ["size", "size_parameter", "maximum_pages", "stop", "total", "cap"]),
        .init(
            "json_link", "The body has the URL of the next page.", required: ["path"],
            optional: [
                "size", "size_parameter", "maximum_pages", "stop", "has_more", "total", "cap",
            ]),
        .init(
            "cursor", "The response has a cursor, which the next request repeats.",
            required: ["cursor", "parameter"],
            optional: [
                "size", "size_parameter", "placement", "has_more", "total",
                "maximum_pages", "stop", "cap",
            ]),
        .init(
            "page_number", "The request has the number of the page.",
            optional: [
                "parameter", "first", "size", "size_parameter", "placement", "has_more",
                "total", "total_pages", "maximum_pages", "stop", "cap",
            ]),
        .init(
            "offset", "The request has the number of records before the page.",
            optional: [
                "parameter", "first", "size", "size_parameter", "placement", "has_more",
                "total", "total_pages", "maximum_pages", "stop", "cap",
            ]),
        .init(
            "last_identity", "The request has a value of the last record of the page before.",
            required: ["parameter"],
            optional: [
                "field", "size", "size_parameter", "placement", "has_more", "total",
                "maximum_pages", "stop", "cap",
            ]),
        .init(
            "custom", "A rule in code, by its name.", required: ["name"],
            optional: ["size", "size_parameter", "maximum_pages", "stop", "total", "cap"]),
    ]

    /// The pagination: the name of a type, or a mapping with a type.
    static let pagination = ValueCoder<PaginationDefinition>.either(
        [
            ValueCoder(
                .choice(["single_page", "header_link", "page_number", "offset"]), [.scalar],
                expectation: "the name of a pagination",
                read: { source, context in
                    let type = source.scalarText ?? ""
                    if let rule = rule(PaginationKeys(type: type)) {
                        return PaginationDefinition(rule)
                    }
                    let isIncomplete = cases.contains { $0.type == type }
                    context.report(
                        .invalidValue, at: source.location,
                        isIncomplete
                            ? "`\(type)` needs other keys" : "`\(type)` is not a known pagination",
                        advice: isIncomplete
                            ? "write `{type: \(type), …}` with "
                                + Spelling.alternatives(
                                    cases.first { $0.type == type }?.required ?? [])
                            : Spelling.advice(for: type, among: cases.map(\.type)))
                    return nil
                },
                write: { pagination in
                    let keys = keys(pagination)
                    let isShort = PaginationKeys(type: keys.type)
                    return rule(isShort).map { PaginationDefinition($0) == pagination } == true
                        ? .text(keys.type) : nil
                }),
            paginationMapping,
        ], expectation: "the name of a pagination, or a mapping with `type`")

    private static let paginationMapping = ValueCoder<PaginationKeys>.object(
        "pagination", PaginationKeys(),
        [
            .type(\.type, cases, "The way to the next page."),
            .optional("path", \.path, .path, "The path of the URL of the next page."),
            .optional("cursor", \.cursor, location, "The location of the cursor in the response."),
            .optional("field", \.field, .path, "The path in the last record; id without it."),
            .optional(
                "parameter", \.parameter, .text, "The parameter for the cursor, page or offset."),
            .optional(
                "first", \.first, .integer(from: 0), "The number of the first page or offset."),
            .optional("name", \.name, .text, "The name of the rule in code."),
            .optional("size", \.size, .integer(from: 1), "The number of records of a page."),
            .optional("size_parameter", \.sizeParameter, .text, "The parameter for the size."),
            .optional(
                "placement", \.placement, .choice, default: .query,
                "The place of cursors, numbers and sizes in a request."),
            .optional("has_more", \.hasMore, location, "The location of whether a page follows."),
            .optional(
                "total", \.total, location, "The location of the number of records in the list."),
            .optional(
                "total_pages", \.totalPages, location, "The location of the number of pages."),
            .optional(
                "stop", \.stops, .oneOrMany(.choice), default: [],
                "Further signs of the end of the list."),
            .optional(
                "maximum_pages", \.maximumPageCount, .integer(from: 1),
                "The maximum number of pages of a walk."),
            .optional(
                "cap", \.cap, .integer(from: 1),
                "The number of records beyond which the server returns no pages."),
        ], cases: cases, dependencies: [.init("size_parameter", needs: "size")]
    ).map(
        read: { keys, _, _ in
            guard let rule = rule(keys) else { return nil }
            return PaginationDefinition(
                rule, size: keys.size.map { .init($0, parameter: keys.sizeParameter) },
                placement: keys.placement, hasMore: keys.hasMore, total: keys.total,
                totalPages: keys.totalPages, stops: Set(keys.stops),
                maximumPageCount: keys.maximumPageCount, cap: keys.cap)
        },
        write: { keys($0) })

    /// Returns the rule of keys; `nil` without a required key, which is reported already.
    @Sendable private static func rule(_ keys: PaginationKeys) -> PaginationDefinition.Rule? {
        switch keys.type {
        case "single_page": .singlePage
        case "header_link": .linkHeader
        case "json_link": keys.path.map { .link(at: $0) }
        case "cursor":
            keys.cursor.flatMap { cursor in
                keys.parameter.map { .cursor(at: cursor, parameter: $0) }
            }
        case "page_number":
            .pageNumber(parameter: keys.parameter ?? "page", first: keys.first ?? 1)
        case "offset": .offset(parameter: keys.parameter ?? "offset", first: keys.first ?? 0)
        case "last_identity":
            keys.parameter.map { .lastIdentity(at: keys.field ?? "id", parameter: $0) }
        case "custom": keys.name.map { .custom($0) }
        default: nil
        }
    }

    @Sendable private static func keys(_ pagination: PaginationDefinition) -> PaginationKeys {
        var keys = PaginationKeys(
            size: pagination.size?.count, sizeParameter: pagination.size?.parameter,
            placement: pagination.placement, hasMore: pagination.hasMore, total: pagination.total,
            totalPages: pagination.totalPages,
            stops: pagination.stops.sorted { $0.rawValue < $1.rawValue },
            maximumPageCount: pagination.maximumPageCount, cap: pagination.cap)
        switch pagination.rule {
        case .singlePage: keys.type = "single_page"
        case .linkHeader: keys.type = "header_link"
        case .link(let path):
            keys.type = "json_link"
            keys.path = path
        case .cursor(let location, let parameter):
            keys.type = "cursor"
            keys.cursor = location
            keys.parameter = parameter
        case .pageNumber(let parameter, let first):
            keys.type = "page_number"
            keys.parameter = parameter
            keys.first = first == 1 ? nil : first
        case .offset(let parameter, let first):
            keys.type = "offset"
            keys.parameter = parameter
            keys.first = first == 0 ? nil : first
        case .lastIdentity(let path, let parameter):
            keys.type = "last_identity"
            keys.field = path
            keys.parameter = parameter
        case .custom(let name):
            keys.type = "custom"
            keys.name = name
        }
        return keys
    }
}
