// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import NIOCore
import NIOHTTP2

/// A channel handler that retires a connection over HTTP/2 on which the server is silent.
///
/// AsyncHTTPClient keeps such a connection when a request over it has timed out, and every later
/// request would time out as well. A request that ends after some time without a frame from the server,
/// because of a time limit or a cancellation, makes this handler report a GOAWAY frame, after which
/// AsyncHTTPClient sends no further request over the connection. A request that it had given the connection
/// before gets no response, and fails or ends at its own time limit.
final class SilenceDetector: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    /// The time without a frame after which the end of a request counts.
    ///
    /// A shorter one could be that of a server that has not had time to respond.
    static let minimumDuration = TimeAmount.milliseconds(500)

    private var context: ChannelHandlerContext?
    private var lastFrame = NIODeadline.distantPast
    private var openStreamCount = 0
    private var isRetired = false

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastFrame = .now()
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is NIOHTTP2StreamCreatedEvent: openStreamCount += 1
        case is StreamClosedEvent: openStreamCount -= 1
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Notes that a stream has ended.
    ///
    /// - Parameter start: The time when it began.
    func streamDidEnd(since start: NIODeadline) {
        // A frame for the connection, such as the acknowledgement of settings, can follow the start.
        let silence = NIODeadline.now() - max(lastFrame, start)
        guard let context, !isRetired, silence >= Self.minimumDuration else { return }
        isRetired = true
        let frame = HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil))
        context.fireChannelRead(wrapInboundOut(frame))
        // Otherwise AsyncHTTPClient closes it after the last stream.
        if openStreamCount == 0 { context.close(mode: .all, promise: nil) }
    }
}

/// A channel handler of one stream that reports its end to the detector of its connection.
final class StreamEndReporter: ChannelInboundHandler {
    typealias InboundIn = Any

    private let detector: SilenceDetector
    private let start = NIODeadline.now()

    init(to detector: SilenceDetector) {
        self.detector = detector
    }

    func channelInactive(context: ChannelHandlerContext) {
        detector.streamDidEnd(since: start)
        context.fireChannelInactive()
    }
}
#endif
