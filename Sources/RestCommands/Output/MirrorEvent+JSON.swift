// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestMirror

extension MirrorEvent {
    /// The event as a JSON document.
    var document: Document {
        func object(_ event: String, _ members: [(String, Document)]) -> Document {
            .object([("event", .string(event))] + members)
        }
        switch self {
        case .started(let resource): return object("started", [("resource", .string(resource))])
        case .response(let response):
            return object(
                "response",
                [
                    ("resource", .string(response.resource)),
                    ("status", .number(response.status)), ("bytes", .number(response.byteCount)),
                    (
                        "remaining_requests",
                        response.remainingRequestCount.map { .number($0) } ?? nil
                    ),
                ])
        case .page(let page):
            return object(
                "page",
                [
                    ("resource", .string(page.resource)), ("parent", .string(page.parent)),
                    ("page", .number(page.number)), ("records", .number(page.recordCount)),
                    ("unmodified", .bool(page.isUnmodified)),
                ] + page.rows.members)
        case .waiting(let resource, let seconds, let reason):
            return object(
                "waiting",
                [
                    ("resource", .string(resource)),
                    ("seconds", (try? .number(seconds)) ?? nil), ("reason", .string(reason)),
                ])
        case .deleted(let entity, let count):
            return object("deleted", [("entity", .string(entity)), ("rows", .number(count))])
        case .warning(let warning):
            return object(
                "warning",
                [
                    ("resource", .string(warning.resource)),
                    ("kind", .string(warning.kind.rawValue)),
                    ("message", .string(warning.message)),
                    ("incomplete", .bool(warning.isIncomplete)),
                ])
        case .finished(let summary):
            return object(
                "finished",
                [
                    ("resource", .string(summary.resource)),
                    ("records", .number(summary.recordCount)),
                    ("pages", .number(summary.pageCount)),
                    ("unmodified_pages", .number(summary.unmodifiedPageCount)),
                    ("requests", .number(summary.requestCount)),
                    ("bytes", .number(summary.byteCount)),
                    ("failure", summary.failure.map { .string($0) } ?? nil),
                ] + summary.rows.members)
        }
    }
}

extension RowCounts {
    fileprivate var members: [(String, Document)] {
        [
            ("inserted", .number(inserted)), ("updated", .number(updated)),
            ("unchanged", .number(unchanged)), ("deleted", .number(deleted)),
        ]
    }
}
